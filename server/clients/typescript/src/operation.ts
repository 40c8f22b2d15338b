// What an operation takes and answers, by its id in the document of the API.
import type { operations } from './schema.gen.js'

export type OperationId = keyof operations

/**
 * When a call may be sent again. `always`: it changes nothing. `with key`: the server does it once for each key. `plain`:
 * twice is as once, unless it has a precondition. `refused`: only if the server has refused it before it did anything.
 */
export type Repeats = 'always' | 'with key' | 'plain' | 'refused'

/** Where a call goes, and in which form. */
export interface Route {
  readonly method: string
  /** With parameters as `{name}`. */
  readonly path: string
  readonly repeats: Repeats
  /** Types of its answer, if JSON is none of them. */
  readonly accept?: string
  /** Type of its body, if it is not JSON. */
  readonly type?: string
}

export interface Operation<Id extends OperationId> extends Route {
  readonly id: Id
}

/** A body that is not JSON. Only texts, bytes and files can be sent again. */
export type Bytes =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

type Parameters<Id extends OperationId> = operations[Id]['parameters']

type BodyOf<Content> = 'application/json' extends keyof Content
  ? Content['application/json'] | JsonText | (keyof Content extends 'application/json' ? never : Bytes)
  : Bytes

type Body<Id extends OperationId> = operations[Id] extends { requestBody?: never }
  ? { body?: undefined }
  : operations[Id] extends { requestBody: { content: infer Content } }
    ? { body: BodyOf<Content> }
    : operations[Id] extends { requestBody?: { content: infer Content } }
      ? { body?: BodyOf<Content> }
      : never

/** JSON that is sent as it is, with every digit. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The parameters of a call, its body, and how to send it. */
export type Args<Id extends OperationId> = Pick<Parameters<Id>, 'path' | 'query'> &
  Body<Id> & {
    headers?: Exclude<Parameters<Id>['header'], undefined> | Record<string, string | undefined>
    signal?: AbortSignal
    /** For operations that take one. Unset: a new one for each call that may be sent again. */
    idempotencyKey?: string
  }

/** Whether a call can do without arguments. */
export type Given<Id extends OperationId> = object extends Args<Id> ? [args?: Args<Id>] : [args: Args<Id>]

/** A document that describes no body of an answer. */
type Content<Answer> = Answer extends { content: infer Types } ? Types : never

type Json<Types> = Types extends { 'application/json': infer Value }
  ? Value
  : [Types] extends [never]
    ? undefined
    : string

type Responses<Id extends OperationId> = operations[Id]['responses']

type Good<Id extends OperationId> = Responses<Id>[Extract<keyof Responses<Id>, 200 | 201 | 202>]

/** What a call resolves with: JSON as an object, another type as text, nothing as undefined. */
export type Answer<Id extends OperationId> = [Good<Id>] extends [never] ? undefined : Json<Content<Good<Id>>>
