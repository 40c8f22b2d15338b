import { Type } from 'typebox'

/** Headers of a POST that may be sent twice and takes effect once. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A key you choose, 1 to 255 printable ASCII characters. Repeat the same request with it, and it takes effect ' +
        'once: the answer is the first answer.',
      examples: ['order-4711'],
    }),
  ),
})
