// /v1/index: secondary indexes, held as range indexes, and those of collections as document indexes.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { toFailure } from '../../errors.js'
import type { ErrorCode } from '../../error-table.js'
import type { Index, IndexSpec } from '../../schemas/indexes.js'
import { choice, Name } from '../../schemas/words.js'
import { IndexMissing } from './errors.js'
import { listed } from './open.js'
import { first, type Query } from './policies.js'
import { sendNothing } from './wire.js'

const tags = ['v1']
const params = Type.Object({ ns: Name, name: Name })

const CompatibleIndex = Type.Object(
  {
    name: Name,
    namespace: Name,
    set: Type.Optional(Name),
    bin: Type.String({ minLength: 1, maxLength: 15 }),
    type: choice(['NUMERIC', 'STRING']),
    collection_type: Type.Optional(choice(['DEFAULT', 'LIST', 'MAPKEYS', 'MAPVALUES'])),
  },
  { title: 'CompatibleIndex', additionalProperties: false },
)

export function compatibleIndexRoutes(app: App): void {
  app.get(
    '/index',
    {
      schema: {
        operationId: 'listCompatibleIndexes',
        tags,
        summary: 'Secondary indexes of one namespace, or of all that are open',
        response: { 200: Type.Array(CompatibleIndex) },
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
      schema: {
        operationId: 'createCompatibleIndex',
        tags,
        summary: 'Create a secondary index; does not wait for the build',
        body: CompatibleIndex,
        response: { 202: Type.Null() },
      },
    },
    async (request, reply) => {
      const { namespace, name, set, bin, collection_type: collection = 'DEFAULT' } = request.body
      const kind = collection === 'DEFAULT' ? 'range' : 'document'
      const spec: IndexSpec = { name, bin, kind, ...(set !== undefined && { set }) }
      // As the other server does: the same index again, or a namespace that is not there, is taken without a word.
      await tolerate(['namespace_not_found'], async () => {
        const twin = (await request.engine.indexes(namespace)).find((index) => index.name === name)
        if (twin === undefined || twin.bin !== bin || twin.set !== set || twin.kind !== kind)
          await request.engine.createIndex(namespace, spec)
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
        summary: 'Statistics of a secondary index, as strings',
        params,
        response: { 200: Type.Record(Type.String(), Type.String()) },
      },
    },
    (request) =>
      request.engine.index(request.params.ns, request.params.name).then((index) => statistics(request.engine, index)),
  )

  app.delete(
    '/index/:ns/:name',
    {
      schema: {
        operationId: 'deleteCompatibleIndex',
        tags,
        summary: 'Drop a secondary index',
        params,
        response: { 202: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ns, name } = request.params
      await tolerate(['index_not_found'], () => request.engine.dropIndex(ns, name, false))
      return sendNothing(reply, 202)
    },
  )
}

/**
 * That a query on a bin has an index to ask.
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

/** A range index holds numbers and strings alike, a document index all that is in lists and maps; the other API wants one of them named, and a bin. */
const compatible = ({ name, namespace, set, bin = '', kind }: Index) => ({
  name,
  namespace,
  ...(set !== undefined && { set }),
  bin,
  type: 'NUMERIC' as const,
  collection_type: kind === 'range' ? ('DEFAULT' as const) : ('LIST' as const),
})

function statistics(engine: Engine, index: Index): Record<string, string> {
  const job = index.jobId === undefined ? undefined : engine.jobs().find(({ id }) => id === index.jobId)
  const share = index.state === 'ready' || job?.total === undefined || job.total === 0 ? 1 : job.done / job.total
  return {
    entries: String(index.entries),
    used_bytes: String(index.bytes),
    entries_per_bval: String(index.terms === 0 ? 0 : Math.round(index.entries / index.terms)),
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
