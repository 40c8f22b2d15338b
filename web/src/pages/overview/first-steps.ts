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

/** The first steps in order, and which are done. Derived from the state of the server; nothing is stored. */
export function firstSteps({ namespaces, sets, indexes, jobs }: Facts): Step[] {
  const some = namespaces.length > 0
  return [
    { title: 'Create a namespace', words: 'Name, storage engine, limits.', href: '/namespaces/new', done: some },
    {
      title: 'Load data',
      words: 'Drop a CSV or NDJSON file, or generate sample events.',
      href: '/import',
      done: namespaces.some(({ records = 0 }) => records > 0),
    },
    {
      title: 'Switch on a set index',
      words: 'Makes scans of small sets fast.',
      href: some ? '/namespaces/$ns/sets' : '/namespaces',
      done: sets.some(({ index }) => index.state !== 'off'),
    },
    {
      title: 'Build an index',
      words: 'Uses all cores and shows its progress.',
      href: '/indexes',
      done: indexes.length > 0,
    },
    {
      title: 'Query',
      words: 'Find records by the JSON in them.',
      href: '/query',
      done: jobs.some(({ kind }) => kind === 'query'),
    },
  ]
}
