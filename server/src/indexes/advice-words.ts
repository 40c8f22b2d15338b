// Advice in words: whole sentences, and the call that follows it as a line of curl.
import type { AdvisedIndex, AdvisedSetIndex, UnusedIndex } from '../schemas/namespaces/index-advice.js'
import type { Index } from '../schemas/namespaces/indexes.js'
import type { Amount } from '../sentences/amount.js'
import { english, saidOf, say, type Sentence } from '../sentences/sentence.js'

interface Words {
  curl: string
  why: string
  said?: Sentence
}

const because = (sentence: Sentence): Pick<Words, 'why' | 'said'> => ({
  why: english(sentence),
  ...saidOf(sentence),
})

const time = (ms: number): Amount => ({ amount: Math.max(1, Math.round(ms)), unit: 'ms' })

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
  ...because(
    queries.count > 0
      ? say(
          'Queries like these ran without an index, {count, number} in all, and took {time} together. Each looked at about {before, plural, one {# record} other {# records}}.',
          { count: queries.count, time: time(queries.totalMs), before },
        )
      : say(
          'Operations like these are kept as slow, {count, number} in all, and took {time} together. Each looks at about {before, plural, one {# record} other {# records}}.',
          { count: slow.count, time: time(slow.totalMs), before },
        ),
  ),
})

export const setIndexLine = (
  namespace: string,
  set: string,
  { queries, records }: Pick<AdvisedSetIndex, 'queries' | 'records'>,
): Words => ({
  curl: line(`-X PATCH --json '{"index":true}' `, namespace, `sets/${set}`),
  ...because(
    say(
      'Scans of this set ran without its index, {count, number} in all, and took {time} together. Each passed over {before, plural, one {# record} other {# records}} to find {after, number}.',
      { count: queries.count, time: time(queries.totalMs), before: records.before, after: records.after },
    ),
  ),
})

export const unusedLine = ({
  namespace,
  name,
  lastUsedAt,
  usesSince,
}: Index): Words & Pick<UnusedIndex, 'usesSince'> => ({
  curl: line('-X DELETE ', namespace, `indexes/${name}`),
  ...because(
    lastUsedAt === undefined
      ? say('No query has used it since {since}, when its uses began to be counted.', { since: { time: usesSince } })
      : say('The last query that used it ran at {last}.', { last: { time: lastUsedAt } }),
  ),
  usesSince,
})
