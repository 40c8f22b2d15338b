// /v1/kvs: records by key.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { bytes } from '../../bodies/rule.js'
import type { Exists, RecordForm } from '../../engines/engine.js'
import { GatewayError } from '../../errors.js'
import { observe } from '../../live/observe.js'
import { BinMap, CompatibleRecord } from '../../schemas/v1.js'
import { deleteDocuments, keyDocuments, pathOf, readDocuments, writeDocuments } from './wire/documents.js'
import { keyOf } from './wire/keys.js'
import { passing } from './operate.js'
import { binNames, filterPolicy, generationPolicy, type Query, writePolicy } from './wire/policies.js'
import { answerWire, bodyWire, mediaTypes, shapeOf, typeOf } from './wire/wire.js'

const tags = ['v1']

interface Address {
  ns: string
  set?: string
  key: string
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

const writes = [
  {
    method: 'POST',
    verb: 'create',
    op: 'put',
    status: 201,
    id: 'createKv',
    summary: 'Create a record',
    description: 'Creates a record. If it exists, the call is refused.',
  },
  {
    method: 'PUT',
    verb: 'replace',
    op: 'put',
    status: 204,
    id: 'replaceKv',
    summary: 'Replace a record',
    description: 'Replaces all bins of an existing record. If it is missing, the call is refused.',
  },
  {
    method: 'PATCH',
    verb: 'update',
    op: 'update',
    status: 204,
    id: 'updateKv',
    summary: 'Merge bins into a record',
    description:
      'Writes the given bins of an existing record and keeps the others; null deletes a bin. If the record is missing, the call is refused.',
  },
] as const

export function kvRoutes(app: App): void {
  for (const { url, suffix, words } of [
    { url: '/kvs/:ns/:set/:key', suffix: '', words: '' },
    { url: '/kvs/:ns/:key', suffix: 'WithoutSet', words: ' without a set' },
  ]) {
    const params = pathOf(url)

    app.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      onResponse: observe('get'),
      config: { documents: readDocuments },
      schema: {
        operationId: `getKv${suffix}`,
        tags,
        summary: `Read a record${words}`,
        description:
          'Answers a record, or only some of its bins. A missing record, or one that does not pass the filter, answers 404.',
        params,
        response: { 200: CompatibleRecord },
      },
      handler: read,
    })
    app.route({
      method: 'HEAD',
      url,
      onResponse: observe('get'),
      config: { documents: keyDocuments },
      schema: {
        operationId: `hasKv${suffix}`,
        tags,
        summary: `Check that a record exists${words}`,
        description: 'Answers 200 if the record exists, else 404.',
        params,
      },
      handler: exists,
    })
    for (const { method, verb, op, status, id, summary, description } of writes) {
      app.route({
        method,
        url,
        onResponse: observe(op),
        config: {
          body: bytes(mediaTypes),
          documents: writeDocuments,
          requestBody: Object.fromEntries(mediaTypes.map((type) => [type, BinMap])),
        },
        schema: {
          operationId: `${id}${suffix}`,
          tags,
          summary: `${summary}${words}`,
          description,
          params,
          response: { [status]: Type.Null() },
        },
        handler: write(verb, status),
      })
    }
    app.route({
      method: 'DELETE',
      url,
      onResponse: observe('delete'),
      config: { body: bytes(mediaTypes), documents: deleteDocuments },
      schema: {
        operationId: `deleteKv${suffix}`,
        tags,
        summary: `Delete a record${words}`,
        description: 'Deletes a record. A missing record, or one that does not pass the filter, answers 404.',
        params,
        response: { 204: Type.Null() },
      },
      handler: remove,
    })
  }
}

const addressOf = (request: FastifyRequest): Required<Address> => {
  const { ns, set = '', key } = request.params as Address
  return { ns, set, key }
}

/** An error of the gateway itself, without a result code. */
const missing = () => new GatewayError('record_not_found', 'Record not found')

const read: Handler = async (request, reply) => {
  const { ns, set, key } = addressOf(request)
  const query = request.query as Query
  const bins = binNames(query)
  const wire = answerWire(request)
  const form: RecordForm = { shape: shapeOf(wire), ...filterPolicy(query), ...(bins !== undefined && { bins }) }
  const record = await request.engine.getRecord(ns, set, keyOf(key, query), form)
  if (record === null) throw missing()
  return reply.type(typeOf(wire)).send(record)
}

const exists: Handler = async (request, reply) => {
  const { ns, set, key } = addressOf(request)
  const record = await request.engine.getRecord(ns, set, keyOf(key, request.query as Query), { shape: 'v1', bins: [] })
  return reply.code(record === null ? 404 : 200).send()
}

const write =
  (verb: Exists, status: number): Handler =>
  async (request, reply) => {
    const { ns, set, key } = addressOf(request)
    const query = request.query as Query
    const body = request.body
    if (!Buffer.isBuffer(body) || body.length === 0)
      throw new GatewayError('body_missing', 'Required request body is missing')
    // A record that does not pass the filter stays unchanged, without an error.
    const options = writePolicy(query, verb, bodyWire(request))
    await passing(request.engine.putRecord(ns, set, keyOf(key, query), body, options))
    return reply.code(status).send()
  }

const remove: Handler = async (request, reply) => {
  const { ns, set, key } = addressOf(request)
  const query = request.query as Query
  const options = { ...generationPolicy(query), ...filterPolicy(query) }
  const deleted = await passing(request.engine.deleteRecord(ns, set, keyOf(key, query), options))
  if (deleted === false) throw missing()
  return reply.code(204).send()
}
