import type { May, Operation } from '../../api/may'
import type { Index, Job, Namespace, RecordSet } from '../../api/types'
import { t } from '../../language/text'

interface Step {
  title: string
  words: string
  href: '/namespaces/new' | '/import' | '/namespaces' | '/namespaces/$ns/sets' | '/indexes' | '/query'
  done: boolean
  needs: Operation
}

interface Facts {
  namespaces: Namespace[]
  sets: RecordSet[]
  indexes: Index[]
  jobs: Job[]
}

/**
 * The first steps in order that the caller may take, and which are done. Derived from the state of the server; nothing is
 * stored. None without a namespace and without the right to make one.
 */
export function firstSteps({ namespaces, sets, indexes, jobs }: Facts, may: May): Step[] {
  const some = namespaces.length > 0
  if (!some && !may('createNamespace')) return []
  const steps: Step[] = [
    {
      title: t('Create a namespace'),
      words: t('Name, storage engine, limits.'),
      href: '/namespaces/new',
      done: some,
      needs: 'createNamespace',
    },
    {
      title: t('Load data'),
      words: t('Drop a CSV or NDJSON file, or generate sample events.'),
      href: '/import',
      done: namespaces.some(({ records = 0 }) => records > 0),
      needs: 'importRecords',
    },
    {
      title: t('Switch on a set index'),
      words: t('Makes scans of small sets fast.'),
      href: some ? '/namespaces/$ns/sets' : '/namespaces',
      done: sets.some(({ index }) => index.state !== 'off'),
      needs: 'updateSet',
    },
    {
      title: t('Build an index'),
      words: t('Uses all cores and shows its progress.'),
      href: '/indexes',
      done: indexes.length > 0,
      needs: 'createIndex',
    },
    {
      title: t('Query'),
      words: t('Find records by the JSON in them.'),
      href: '/query',
      done: jobs.some(({ kind }) => kind === 'query'),
      needs: 'query',
    },
  ]
  return steps.filter(({ needs }) => may(needs))
}
