// /v1/index: secondary indexes. Indexes on collections are document indexes, all others range indexes.
import { Type } from 'typebox'
import { attribute } from '../../answers/attribute.js'
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { GatewayError, toFailure } from '../../errors.js'
import type { ErrorCode } from '../../error-table.js'
import { confirm } from '../../requests/confirm.js'
import { ConfirmHeaders } from '../../schemas/drop.js'
import type { Index, IndexSpec } from '../../schemas/namespaces/indexes.js'
import { choice, IndexName, NamespaceName, SetName } from '../../schemas/words.js'
import { indexListDocuments } from './wire/documents.js'
import { IndexMissing } from './wire/errors.js'
import { listed } from '../../answers/listed.js'
import { first, type Query } from './wire/policies.js'
import { frame, sendNothing } from './wire/wire.js'

const tags = ['v1']
const BIN_BYTES = 15
const params = Type.Object({ ns: NamespaceName, name: IndexName })

const example = { name: 'items', namespace: 'shop', set: 'carts', bin: 'items', type: 'NUMERIC' }

const CompatibleIndex = Type.Object(
  {
    name: IndexName,
    namespace: NamespaceName,
    set: Type.Optional({ ...SetName, description: 'Index only the records of this set. Unset: the whole namespace.' }),
    bin: Type.String({ minLength: 1, maxLength: BIN_BYTES, description: 'Bin to index, 1 to 15 bytes.' }),
    type: choice(['NUMERIC', 'STRING'], {
      description: 'Type of the values. An index holds both; answers always say `NUMERIC`.',
    }),
    collection_type: Type.Optional(
      choice(['DEFAULT', 'LIST', 'MAPKEYS', 'MAPVALUES'], {
        description: 'What to index: the value, list items, map keys or map values. Default: `DEFAULT`, the value.',
      }),
    ),
  },
  {
    title: 'CompatibleIndex',
    description: 'A secondary index.',
    additionalProperties: false,
    examples: [example],
  },
)

export function compatibleIndexRoutes(app: App): void {
  app.get(
    '/index',
    {
      config: { documents: indexListDocuments },
      schema: {
        operationId: 'listCompatibleIndexes',
        tags,
        summary: 'List secondary indexes',
        description: 'Answers the secondary indexes of one namespace, or of all open namespaces.',
        response: {
          200: Type.Array(CompatibleIndex, { description: 'The indexes.', examples: [[example]] }),
        },
      },
    },
    async (request, reply) => {
      const wanted = first(request.query as Query, 'namespace')
      const indexes = (name: string) => request.engine.indexes(name)
      const ofAll = async () => (await request.engine.namespaces()).map((namespace) => listed(namespace, indexes))
      const lists = wanted === undefined ? await ofAll() : [indexes(wanted)]
      return reply.send((await Promise.all(lists)).flat().map(compatible))
    },
  )

  app.post(
    '/index',
    {
      config: { body: frame() },
      schema: {
        operationId: 'createCompatibleIndex',
        tags,
        summary: 'Create a secondary index',
        description:
          'Starts to build an index and does not wait for it. `collection_type` `DEFAULT` makes a range index, ' +
          'the others make a document index. The same index again, or a missing namespace, is accepted and ' +
          'ignored, as in the Aerospike REST Gateway.',
        body: CompatibleIndex,
        response: { 202: Type.Null() },
      },
    },
    async (request, reply) => {
      const { namespace, name, set, bin, collection_type: collection = 'DEFAULT' } = request.body
      // The schema counts characters.
      if (Buffer.byteLength(bin) > BIN_BYTES)
        throw new GatewayError('bin_name_invalid', `a bin name must be at most ${BIN_BYTES} bytes on /v1`, {
          field: 'bin',
        })
      const kind = collection === 'DEFAULT' ? 'range' : 'document'
      const spec: IndexSpec = { name, bin, kind, ...(set !== undefined && { set }) }
      // Like Aerospike, accept the same index again, or a missing namespace, without an error.
      await tolerate(['namespace_not_found'], async () => {
        const twin = (await request.engine.indexes(namespace)).find((index) => index.name === name)
        if (twin === undefined || twin.bin !== bin || twin.set !== set || twin.kind !== kind)
          attribute(request, (await request.engine.createIndex(namespace, spec)).id)
      })
      return sendNothing(reply, 202)
    },
  )

  app.get(
    '/index/:ns/:name',
    {
      schema: {
        operationId: 'getCompatibleIndex',
        tags,
        summary: 'Show statistics of a secondary index',
        description: 'Answers entries, memory and build progress, as strings.',
        params,
        response: {
          200: Type.Record(Type.String(), Type.String(), {
            description: 'Statistics by name.',
            examples: [
              { entries: '1', used_bytes: '128', entries_per_bval: '0', entries_per_rec: '1', load_pct: '100' },
            ],
          }),
        },
      },
    },
    (request) =>
      request.engine.index(request.params.ns, request.params.name).then((index) => statistics(request.engine, index)),
  )

  app.delete(
    '/index/:ns/:name',
    {
      config: { body: frame() },
      schema: {
        operationId: 'deleteCompatibleIndex',
        tags,
        summary: 'Drop a secondary index',
        description: 'Drops an index. A missing index is accepted and ignored. In production it needs `X-Confirm`.',
        params,
        headers: ConfirmHeaders,
        response: { 202: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ns, name } = request.params
      confirm(app.config, request.headers['x-confirm'], name)
      await tolerate(['index_not_found'], () => request.engine.dropIndex(ns, name, false))
      return sendNothing(reply, 202)
    },
  )
}

/**
 * Checks that a bin has an index for a query.
 *
 * @throws `index_not_found`, `namespace_not_found`
 */
export async function usableIndex(
  engine: Engine,
  namespace: string,
  set: string | undefined,
  bin: string,
  name: string | undefined,
): Promise<void> {
  const fits = (index: Index) =>
    index.kind === 'range' &&
    index.bin === bin &&
    (index.set === undefined || index.set === set) &&
    (name === undefined || index.name === name)
  if (!(await engine.indexes(namespace)).some(fits)) throw new IndexMissing(bin)
}

/**
 * An index in the form of the compatible API, which needs a type and a bin. A range index covers
 * numbers and strings alike.
 */
const compatible = ({ name, namespace, set, bin = '', kind }: Index) => ({
  name,
  namespace,
  ...(set !== undefined && { set }),
  bin,
  type: 'NUMERIC' as const,
  collection_type: kind === 'range' ? ('DEFAULT' as const) : ('LIST' as const),
})

function statistics(engine: Engine, index: Index): Record<string, string> {
  const job = index.jobId === undefined ? undefined : engine.runningJobs().find(({ id }) => id === index.jobId)
  const share = index.state === 'ready' || job?.total === undefined || job.total === 0 ? 1 : job.done / job.total
  return {
    entries: String(index.entries),
    used_bytes: String(index.bytes),
    entries_per_bval: String(Math.round(index.entries / Math.max(1, index.terms ?? index.entries))),
    entries_per_rec: '1',
    load_pct: String(Math.floor(share * 100)),
  }
}

async function tolerate(codes: readonly ErrorCode[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!codes.includes(toFailure(error).code)) throw error
  }
}
