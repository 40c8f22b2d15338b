// Answers as JSON, by functions that are compiled late.
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { LateSchemas } from './late-schemas.js'

type Build = ReturnType<typeof SerializerSelector>

/** As Fastify makes them, but for when. */
export const lateSerializers =
  (late: LateSchemas): Build =>
  (...given) => {
    const compile = SerializerSelector()(...given)
    return (route) => {
      const compiled = late.later(() => compile(route))
      return (data) => compiled()(data)
    }
  }
