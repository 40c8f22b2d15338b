// /ycsb: records for the REST binding of YCSB's own client. The body of a request is the record, as it comes.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { observe } from '../live/observe.js'
import { acceptBytes, bytesOf } from '../rest/body.js'
import { WriteResult } from '../schemas/records.js'
import { Name } from '../schemas/words.js'

const tags = ['ycsb']
const url = '/:ns/:table/:key'
const params = Type.Object({
  ns: Name,
  table: Type.String({ ...Name, description: 'a set' }),
  key: Type.String(),
})

/** The one bin of a record, as the client calls its body. */
const BIN = 'data'
const BYTES = 'application/octet-stream'
const JSON_TYPE = 'application/json'

/** What the client sends as Content-Type is a matter of its settings and says nothing of the body. */
const any = ['*']

export function ycsbRoutes(app: App): void {
  acceptBytes(app, any)

  app.get(
    url,
    {
      onResponse: observe('get'),
      config: { produces: [BYTES, JSON_TYPE] },
      schema: {
        operationId: 'readYcsb',
        tags,
        summary: 'A record as it was sent; as the record object of /api/v1 where it was written there',
        params,
        response: {
          200: {
            description: 'the record',
            content: {
              [BYTES]: { schema: Type.String({ format: 'binary' }) },
              [JSON_TYPE]: { schema: Type.Object({}, { additionalProperties: true }) },
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
      summary: 'Insert a record, or replace the one that is there',
    },
    { method: 'PUT', operationId: 'updateYcsb', op: 'update', summary: 'Replace a record, or insert it' },
  ] as const) {
    app.route({
      method,
      url,
      onResponse: observe(op),
      config: { requestBody: { [BYTES]: Type.String({ format: 'binary' }) } },
      schema: {
        operationId,
        tags,
        summary,
        description:
          'The body is kept as bytes in the bin data, whatever its Content-Type. The answer has a body: without one the client ' +
          'leaves a thread behind for every request.',
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
      schema: { operationId: 'deleteYcsb', tags, summary: 'Delete a record', params, response: { 204: Type.Null() } },
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
