import { type TSchema, Type } from 'typebox'

/** A body that may be left out, with the example of its schema. */
export const optionalBody = <T extends TSchema>(body: T) =>
  Type.Union([body, Type.Null()], { examples: (body as { examples?: unknown[] }).examples ?? [] })
