import { type Static, Type } from 'typebox'

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'where the code is explained', examples: ['/docs/errors#namespace_not_found'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'the path that was asked for' }),
    code: Type.String({ description: 'stable; listed in docs/errors.md' }),
    field: Type.Optional(Type.String({ description: 'the field at fault' })),
    retryable: Type.Boolean({ description: 'the same call may succeed later' }),
    requestId: Type.String(),
  },
  { title: 'Problem', description: 'RFC 9457' },
)
export type Problem = Static<typeof Problem>
