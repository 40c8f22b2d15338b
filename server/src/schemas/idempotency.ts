import { Type } from 'typebox'

/** Headers of a POST that may be sent twice and takes effect once. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'a word of your own, 1 to 255 characters: the same request with it again gets the first answer again',
    }),
  ),
})
