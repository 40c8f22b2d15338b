import { Type } from 'typebox'

/** Headers of a change that must not overwrite another. */
export const IfMatchHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` you read. If it is not current, the call is refused with `precondition_failed`. Unset or `*`: no check.',
      examples: ['"JS2dFZBzYXLcvgNO"'],
    }),
  ),
})
