// Bodies of lines.
import { printJson } from './json.js'

/** Prints each value as a line of JSON, for uploads and batches of any length. */
export async function* ndjson(
  values: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string, void, undefined> {
  for await (const value of values) yield `${printJson(value)}\n`
}
