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
