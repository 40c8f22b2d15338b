import type { Index, Job, Namespace, RecordSet } from '../../api/types'

interface Step {
  title: string
  words: string
  href: '/namespaces/new' | '/import' | '/namespaces' | '/namespaces/$ns/sets' | '/indexes' | '/query'
  done: boolean
}

interface Facts {
  namespaces: Namespace[]
  sets: RecordSet[]
  indexes: Index[]
  jobs: Job[]
}

/** What a newcomer does, in order, and what of it is done; read from the state, nothing is remembered. */
export function firstSteps({ namespaces, sets, indexes, jobs }: Facts): Step[] {
  const some = namespaces.length > 0
  return [
    { title: 'Create a namespace', words: 'Name, storage engine, limits.', href: '/namespaces/new', done: some },
    {
      title: 'Load data',
      words: 'Drop a CSV or NDJSON file, or make sample events.',
      href: '/import',
      done: namespaces.some(({ records }) => records > 0),
    },
    {
      title: 'Switch a set index on',
      words: 'Scans of small sets get fast.',
      href: some ? '/namespaces/$ns/sets' : '/namespaces',
      done: sets.some(({ index }) => index.state !== 'off'),
    },
    { title: 'Build an index', words: 'On all cores; watch its progress.', href: '/indexes', done: indexes.length > 0 },
    {
      title: 'Query',
      words: 'Find records by the JSON they hold.',
      href: '/query',
      done: jobs.some(({ kind }) => kind === 'query'),
    },
  ]
}
