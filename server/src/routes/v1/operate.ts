// /v1/operate and /v2/operate: operations on one record as one step, or the same reads of several records.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../../app-types.js'
import { bytes, bytesOf } from '../../bodies/rule.js'
import type { OperateForm } from '../../engines/engine.js'
import { GatewayError, toFailure } from '../../errors.js'
import { observe } from '../../live/observe.js'
import { Written } from '../../msgpack/encode.js'
import {
  CompatibleRecord,
  NamedOperation,
  namedOperations,
  namedReads,
  TypedOperation,
  typedOperations,
  typedReads,
} from '../../schemas/v1.js'
import { operateDocuments, operateReadDocuments, pathOf } from './wire/documents.js'
import { keyOf } from './wire/keys.js'
import { boolean, type Query, texts, writePolicy } from './wire/policies.js'
import { answerWire, bodyWire, mediaTypes, parse, sendFrame, shapeOf } from './wire/wire.js'

/** Most keys of one read. */
const KEYS_MAX = 5000

type Dialect = OperateForm['dialect']

interface Api {
  dialect: Dialect
  /** Names of operations in the API document. */
  id: string
  /** Body of a request, with an example of operations, and one of reads alone. */
  body: TSchema
  reads: TSchema
  /** The list of operations in a body. */
  operations: (request: FastifyRequest) => Buffer
  one: (record: Written) => unknown
  many: (records: (Written | null)[]) => unknown
}

const inOrder = { description: 'The operations, in order.' }
const namedBody = (example: object[]) => Type.Array(NamedOperation, { ...inOrder, examples: [example] })
const typedBody = (opsList: object[]) =>
  Type.Object({ opsList: Type.Array(TypedOperation, inOrder) }, { ...inOrder, examples: [{ opsList }] })

const named: Api = {
  dialect: 'named',
  id: 'operate',
  body: namedBody(namedOperations),
  reads: namedBody(namedReads),
  operations: ({ body }) => bytesOf(body),
  one: (record) => record,
  many: (records) => records,
}

const typed: Api = {
  dialect: 'typed',
  id: 'operateV2',
  body: typedBody(typedOperations),
  reads: typedBody(typedReads),
  operations: listOf,
  one: (record) => ({ record }),
  many: (records) => ({ records }),
}

export const namedOperateRoutes = (app: App): void => operateRoutes(app, named)
export const typedOperateRoutes = (app: App): void => operateRoutes(app, typed)

function operateRoutes(app: App, api: Api): void {
  const inBoth = (body: TSchema) => Object.fromEntries(mediaTypes.map((type) => [type, body]))
  const one =
    api.dialect === 'named'
      ? CompatibleRecord
      : Type.Object(
          { record: CompatibleRecord },
          { description: 'The record.', examples: [{ record: { generation: 3, ttl: -1, bins: { items: 5 } } }] },
        )
  const found = [{ generation: 3, ttl: -1, bins: { items: 5 } }, null]
  const described = { description: 'One record per key, in their order. null: a missing record.' }
  const many = Type.Array(Type.Union([CompatibleRecord, Type.Null()]), described)
  const records =
    api.dialect === 'named'
      ? { ...many, examples: [found] }
      : Type.Object({ records: many }, { description: 'The records.', examples: [{ records: found }] })
  for (const { set, suffix, words } of [
    { set: '', suffix: '', words: ' without a set' },
    { set: '/:set', suffix: 'Set', words: '' },
  ]) {
    app.post(
      `/operate/:ns${set}/:key`,
      {
        onResponse: observe('update'),
        config: {
          body: bytes(mediaTypes),
          requestBody: inBoth(api.body),
          documents: { params: pathOf(`${set}/:ns/:key`), ...operateDocuments },
        },
        schema: {
          operationId: `${api.id}${suffix}`,
          tags: ['v1'],
          summary: `Run operations on a record${words}`,
          description:
            'Runs the operations in order as one step: nobody sees half of them, and after an error nothing has changed. Answers the bins that were read. A missing record that nothing creates answers 404.',
          response: { 200: one },
        },
      },
      (request, reply) => operate(api, request, reply),
    )
    app.post(
      `/operate/read/:ns${set}`,
      {
        onResponse: observe('batch'),
        config: {
          body: bytes(mediaTypes),
          requestBody: inBoth(api.reads),
          documents: { params: pathOf(`${set}/:ns`), ...operateReadDocuments },
        },
        schema: {
          operationId: `${api.id}Read${suffix}`,
          tags: ['v1'],
          summary: `Run the same reads on several records${words}`,
          description:
            'Runs the operations, which must only read, on each record. The answer has null for a missing record. All records must fit into one answer.',
          response: { 200: records },
        },
      },
      (request, reply) => read(api, request, reply),
    )
  }
}

interface Address {
  ns: string
  set?: string
  key: string
}

async function operate(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { ns, set = '', key } = request.params as Address
  const query = request.query as Query
  const form = formOf(api, request, false)
  const record = await passing(request.engine.operateRecord(ns, set, keyOf(key, query), api.operations(request), form))
  if (record === null) throw new GatewayError('record_not_found', 'Record not found')
  return sendFrame(request, reply, api.one(new Written(record)))
}

async function read(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { ns, set = '' } = request.params as Address
  const query = request.query as Query
  const keys = texts(query, 'key')
  if (keys.length === 0 || keys.length > KEYS_MAX)
    throw new GatewayError('field_invalid', `The request must name 1 to ${KEYS_MAX} keys, got ${keys.length}`, {
      field: 'key',
    })
  const form = formOf(api, request, true)
  const operations = api.operations(request)
  // The core parses the operations again for each key.
  if (keys.length * operations.length > request.server.config.bodyLimitBytes)
    throw new GatewayError(
      'body_too_large',
      `There are too many operations for ${keys.length} keys; send fewer of either`,
    )
  const records: (Written | null)[] = []
  let bytes = 0
  for (const key of keys) {
    const record = await passing(request.engine.operateRecord(ns, set, keyOf(key, query), operations, form))
    bytes += record?.length ?? 0
    if (bytes > request.server.config.bodyLimitBytes)
      throw new GatewayError('answer_too_large', 'The records do not fit into one answer; ask for fewer')
    records.push(record === null ? null : new Written(record))
  }
  return sendFrame(request, reply, api.many(records))
}

function formOf(api: Api, request: FastifyRequest, readOnly: boolean): OperateForm {
  const query = request.query as Query
  return {
    dialect: api.dialect,
    write: writePolicy(query, 'merge', bodyWire(request)),
    answer: shapeOf(answerWire(request)),
    respondAll: boolean(query, 'respondAllOps', false),
    readOnly,
  }
}

function listOf(request: FastifyRequest): Buffer {
  const body = parse(bytesOf(request.body), bodyWire(request), ['opsList'])
  const { opsList, ...others } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new GatewayError('field_unknown', `${other} is not a field of the body`, { field: other })
  if (!Buffer.isBuffer(opsList)) throw new GatewayError('field_missing', 'the body needs opsList', { field: 'opsList' })
  return opsList
}

/** A record that does not pass the filter counts as missing. */
export async function passing<T>(work: Promise<T | null>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (toFailure(error).code === 'filtered_out') return null
    throw error
  }
}
