// Advice in words: whole sentences, and the call that follows it as a line of curl.
import type { AdvisedIndex, AdvisedSetIndex, UnusedIndex } from '../schemas/namespaces/index-advice.js'
import type { Index } from '../schemas/namespaces/indexes.js'

interface Words {
  curl: string
  why: string
}

const count = (value: number): string => value.toLocaleString('en-US')
const time = (ms: number): string =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${count(Math.round(ms / 100) / 10)} s`

/** A single quote ends a text of the shell, so it is written apart. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const line = (options: string, namespace: string, path: string): string =>
  `curl ${options}-H "$AUTH" $TESSERA/api/v1/namespaces/${namespace}/${path}`

interface Reason {
  queries: AdvisedIndex['queries']
  slow: AdvisedIndex['slow']
  before: number
}

export const buildLine = (namespace: string, spec: AdvisedIndex['spec'], { queries, slow, before }: Reason): Words => ({
  curl: line(`--json ${quoted(JSON.stringify(spec))} `, namespace, 'indexes'),
  why:
    queries.count > 0
      ? `Queries like these ran without an index, ${count(queries.count)} in all, and took ${time(queries.totalMs)} together. Each looked at about ${count(before)} records.`
      : `Operations like these are kept as slow, ${count(slow.count)} in all, and took ${time(slow.totalMs)} together. Each looks at about ${count(before)} records.`,
})

export const setIndexLine = (
  namespace: string,
  set: string,
  { queries, records }: Pick<AdvisedSetIndex, 'queries' | 'records'>,
): Words => ({
  curl: line(`-X PATCH --json '{"index":true}' `, namespace, `sets/${set}`),
  why: `Scans of this set ran without its index, ${count(queries.count)} in all, and took ${time(queries.totalMs)} together. Each passed over ${count(records.before)} records to find ${count(records.after)}.`,
})

export const unusedLine = ({
  namespace,
  name,
  lastUsedAt,
  usesSince,
}: Index): Words & Pick<UnusedIndex, 'usesSince'> => ({
  curl: line('-X DELETE ', namespace, `indexes/${name}`),
  why:
    lastUsedAt === undefined
      ? `No query has used it since ${usesSince}, when its uses began to be counted.`
      : `The last query that used it ran at ${lastUsedAt}.`,
  usesSince,
})
