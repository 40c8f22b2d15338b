// An answer of `application/msgpack-seq`.
import { Type } from 'typebox'

/** `each`: where a value comes from. */
export const valuesFor = (each: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'binary',
    examples: ['\u0081\u00a3key\u0001'],
    description: `One value of MessagePack per ${each}, one after another. Each is what its line of NDJSON is.`,
  })
