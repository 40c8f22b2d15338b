// /ycsb: records for the REST binding of YCSB's own client. The body of a request is the record.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { bytes, bytesOf } from '../bodies/rule.js'
import { GatewayError } from '../errors.js'
import { observe } from '../live/observe.js'
import { record } from '../schemas/examples/jobs.js'
import { WriteResult } from '../schemas/records/records.js'
import { NamespaceName, SetName } from '../schemas/words.js'

const tags = ['ycsb']
const url = '/:ns/:table/:key'
const Bytes = Type.String({
  format: 'binary',
  description: 'The record as the client sends it.',
  examples: ['field0=hello'],
})
const params = Type.Object({
  ns: NamespaceName,
  table: { ...SetName, examples: ['usertable'] },
  key: Type.String({ description: 'Key of the record, a string.', examples: ['user4052'] }),
})

/** The one bin of a record, as the client calls its body. */
const BIN = 'data'
const BYTES = 'application/octet-stream'
const JSON_TYPE = 'application/json'

/** The client's Content-Type depends on its settings and says nothing about the body. */
const any = bytes('*')

export function ycsbRoutes(app: App): void {
  app.get(
    url,
    {
      onResponse: observe('get'),
      config: { produces: [BYTES, JSON_TYPE] },
      schema: {
        operationId: 'readYcsb',
        tags,
        summary: 'Read a record',
        description:
          "Answers the bytes that YCSB's client stored. If the record was written through `/api/v1`, it answers " +
          'the record object as JSON instead.',
        params,
        response: {
          200: {
            description: 'The record.',
            content: {
              [BYTES]: { schema: Bytes },
              [JSON_TYPE]: {
                schema: Type.Object(
                  {},
                  { additionalProperties: true, description: 'The record object of `/api/v1`.', examples: [record] },
                ),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { ns, table, key } = request.params
      const bytes = await request.engine.getPlain(ns, table, key, BIN)
      if (bytes !== null) return reply.type(BYTES).send(bytes)
      const record = await request.engine.getRecord(ns, table, { type: 'string', value: key }, { shape: 'record' })
      if (record === null) throw absent()
      return reply.type(JSON_TYPE).send(record)
    },
  )

  for (const { method, operationId, op, summary } of [
    {
      method: 'POST',
      operationId: 'insertYcsb',
      op: 'put',
      summary: 'Insert a record',
    },
    { method: 'PUT', operationId: 'updateYcsb', op: 'update', summary: 'Update a record' },
  ] as const) {
    app.route({
      method,
      url,
      onResponse: observe(op),
      config: { body: any, requestBody: { [BYTES]: Bytes } },
      schema: {
        operationId,
        tags,
        summary,
        description:
          'Creates the record (201), or replaces it (200). The body is stored as bytes in the bin `data`, whatever its ' +
          '`Content-Type`. The answer has a body, because the client leaks a thread for every answer without one.',
        params,
        response: { 200: WriteResult, 201: WriteResult },
      },
      handler: write,
    })
  }

  app.delete(
    url,
    {
      onResponse: observe('delete'),
      schema: {
        operationId: 'deleteYcsb',
        tags,
        summary: 'Delete a record',
        description: 'Deletes a record by its key. A missing record is refused with `record_not_found`.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ns, table, key } = request.params
      const deleted = await request.engine.deleteRecord(ns, table, { type: 'string', value: key }, {})
      if (!deleted) throw absent()
      return reply.code(204).send(null)
    },
  )
}

const absent = () => new GatewayError('record_not_found', 'there is no record with this key', { field: 'key' })

async function write(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { ns, table, key } = request.params as { ns: string; table: string; key: string }
  const result = await request.engine.putPlain(ns, table, key, BIN, bytesOf(request.body))
  return reply.code(result.created ? 201 : 200).send(result)
}
