export { Client, type ClientOptions, ifAbsent, ifMatch } from './client.js'
export { exported, type Exported, type ExportOptions } from './exported.js'
export { double, parseJson, printJson } from './json.js'
export { type Lines, textLines } from './lines.js'
export { live, type LiveFrame, type LiveOptions } from './live.js'
export { ndjson } from './ndjson.js'
export {
  type Answer,
  type Args,
  type Bytes,
  type Given,
  JsonText,
  type Operation,
  type OperationId,
} from './operation.js'
export { items, type PagedId } from './pages.js'
export { ApiProblem, problemFrom, problemOf, streamBroken, unreachable } from './problem.js'
export type { RetryOptions } from './retry.js'
export type { components, operations, paths } from './schema.gen.js'
export { signIn } from './sign-in.js'
export * from './operations.gen.js'
