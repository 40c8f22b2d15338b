// What lists say of the namespace that an entry is of.
import { Type } from 'typebox'
import { text } from './quantities.js'

export const NamespaceId = (of: string) =>
  Type.String({
    pattern: '^([0-9a-f]{32})?$',
    description: `Id of the namespace ${of}. No other namespace has had it. Empty: no namespace had the name.`,
    examples: ['0f4c1f6f2f1f4c0a9f3e8f0b7d6a5c41'],
  })

export const owner = {
  namespaceId: Type.Optional({
    ...text('Id of the namespace that it is of. Empty: none had the name. Unset: it is older than the ids.'),
  }),
  former: Type.Optional(
    Type.Literal(true, {
      description:
        'The namespace is gone: none has its name now, or another. Only callers with a role for the whole server see it.',
    }),
  ),
}
