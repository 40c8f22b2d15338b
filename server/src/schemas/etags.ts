// Headers that make a call depend on the state of its resource.
import { Type } from 'typebox'

/** Headers of a change that must not overwrite another. */
export const IfMatchHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` you read, in its quotes, or up to 16 of them. If none is current, the call is refused with ' +
        '`precondition_failed`. A weak tag (`W/`) is never current. `*`: the resource must exist. Unset: no check.',
      examples: ['"JS2dFZBzYXLcvgNO"'],
    }),
  ),
})

/** Headers of a read that may need no answer. */
export const IfNoneMatchHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` you read, in its quotes, or several. If one is current, the answer is 304 without a body. ' +
        'A weak tag (`W/`) counts as well. Unset: always the whole answer.',
      examples: ['"JS2dFZBzYXLcvgNO"'],
    }),
  ),
})

/** `If-None-Match` of a write that must not replace anything. */
export const onlyCreate = (refusal: string, what: string) =>
  Type.Optional(
    Type.Literal('*', { description: `Only create: refuse with \`${refusal}\` if ${what} exists.`, examples: ['*'] }),
  )
