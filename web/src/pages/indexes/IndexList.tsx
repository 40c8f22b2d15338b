import { stateWords } from '../../components/state-words'
import { t } from '../../language/text'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState, type ReactNode } from 'react'
import { allIndexesQuery, indexesQuery } from '../../api/indexes'
import type { Index } from '../../api/types'
import { useMay } from '../../api/use-may'
import { bytes, count } from '../../format'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { DropIndex } from './DropIndex'
import { indexState } from './index-state'
import { covered } from './index-words'
import { RunningBuilds } from './RunningBuilds'
import { LastUse } from './LastUse'
import { isUnused, unusedWords } from './unused'
import { indexKindWords } from '../../components/api-words'

interface Props {
  /** undefined: all */
  ns: string | undefined
  /** what creates one, if it does not stand in the bar of the page */
  create?: ReactNode
  /** shows only those that no query has used for 14 days */
  unused: boolean
  onUnused: (unused: boolean) => void
}

/** Indexes of one namespace or of all, running builds first. */
export function IndexList({ ns, create, unused, onUnused }: Props) {
  const ofOne = useQuery({ ...indexesQuery(ns ?? ''), refetchInterval: 2000 })
  const ofAll = useQuery({ ...allIndexesQuery(), enabled: ns === undefined, refetchInterval: 2000 })
  const indexes = (ns === undefined ? ofAll.data : ofOne.data?.items) ?? []
  const { isPending: loading, error } = ns === undefined ? ofAll : ofOne
  const [dropping, setDropping] = useState<Index>()
  const may = useMay()
  const drops = [...new Set(indexes.map(({ namespace }) => namespace))]
    .filter((namespace) => may('dropIndex', { namespace }))
    .join(' ')
  const shownColumns = useMemo(() => columns(setDropping, drops === '' ? [] : drops.split(' ')), [drops])
  const [now] = useState(() => Date.now())
  const shown = unused ? indexes.filter((index) => isUnused(index, now)) : indexes
  const building = indexes.filter(({ state }) => state === 'building')
  return (
    <>
      <Problem error={error} />
      <RunningBuilds jobIds={building.flatMap(({ jobId }) => (jobId === undefined ? [] : [jobId]))} />
      <Card
        title={t('Indexes')}
        aside={t('document indexes: containment; range indexes: comparisons and orders')}
        end={
          <>
            {indexes.length > 0 && (
              <Segmented
                label={t('Which indexes')}
                value={unused ? 'unused' : 'all'}
                choices={whichChoices}
                onChange={(next) => onUnused(next === 'unused')}
              />
            )}
            {create}
          </>
        }
        flush={shown.length > 0}
      >
        {loading && <Skeleton lines={4} height={22} />}
        {!loading && error === null && indexes.length === 0 && (
          <Empty title={t('No indexes yet')}>
            {t(
              'With an index, a query reads a few records instead of all. A document index covers every path and value of the JSON in one bin, or in whole records.',
            )}
          </Empty>
        )}
        {indexes.length > 0 &&
          unused &&
          unusedWords(indexes, now).map((sentence) => (
            <p key={sentence} className="mute pad" role="status">
              {sentence}
            </p>
          ))}
        {shown.length > 0 && (
          <DataTable
            label={t('Indexes')}
            list="indexes"
            noun={(n) => t('{n, plural, one {# index} other {# indexes}}', { n })}
            columns={shownColumns}
            rows={shown}
            keyOf={(row) => `${row.namespace}/${row.name}`}
          />
        )}
      </Card>
      <DropIndex index={dropping} onClose={() => setDropping(undefined)} />
    </>
  )
}

const whichChoices = [
  { value: 'all', label: t('all') },
  { value: 'unused', label: t('unused for 14 days') },
] as const

/** `droppable`: the namespaces whose indexes the caller may drop. */
const columns = (drop: (index: Index) => void, droppable: readonly string[]): ColumnDef<Index>[] => [
  {
    name: 'index',
    label: t('index'),
    sort: (row) => row.name,
    cell: (row) => (
      <Link to="/indexes/$ns/$name" params={{ ns: row.namespace, name: row.name }}>
        <strong>{row.name}</strong>
      </Link>
    ),
  },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: (row) => row.namespace,
    cell: (row) => (
      <Link to="/namespaces/$ns" params={{ ns: row.namespace }}>
        {row.namespace}
      </Link>
    ),
  },
  {
    name: 'set',
    label: t('set'),
    sort: (row) => row.set ?? '',
    cell: (row) => row.set ?? <span className="mute">{t('all sets')}</span>,
  },
  {
    name: 'covers',
    label: t('covers'),
    sort: (row) => row.bin ?? '',
    cell: (row) => (row.bin === undefined ? <span className="mute">{covered(row)}</span> : <code>{covered(row)}</code>),
  },
  { name: 'kind', label: t('kind'), sort: (row) => row.kind, cell: (row) => indexKindWords(row.kind) },
  {
    name: 'state',
    label: t('state'),
    sort: (row) => row.state,
    cell: (row) => <span className={`badge ${indexState[row.state]}`}>{stateWords(row.state)}</span>,
  },
  {
    name: 'entries',
    label: t('entries'),
    low: 2,
    right: true,
    sort: (row) => row.entries,
    cell: (row) => count(row.entries),
  },
  {
    name: 'terms',
    label: t('terms'),
    low: 3,
    right: true,
    sort: (row) => row.terms ?? -1,
    cell: (row) => (row.terms === undefined ? '–' : count(row.terms)),
  },
  {
    name: 'memory',
    label: t('memory'),
    right: true,
    sort: (row) => row.bytes,
    // Rows of a cluster are in no memory of this machine.
    cell: (row) => (row.terms === undefined ? '–' : bytes(row.bytes)),
  },
  {
    name: 'last used',
    label: t('last used'),
    low: 1,
    sort: (row) => row.lastUsedAt ?? '',
    cell: (row) => <LastUse index={row} />,
  },
  { name: 'uses', label: t('uses'), low: 3, right: true, sort: (row) => row.uses, cell: (row) => count(row.uses) },
  {
    name: 'created',
    label: t('created'),
    low: 4,
    sort: (row) => row.createdAt,
    cell: (row) => <Ago time={row.createdAt} />,
  },
  ...(droppable.length === 0
    ? []
    : [
        {
          name: 'actions',
          label: t('actions'),
          actions: true,
          cell: (row: Index) =>
            droppable.includes(row.namespace) && (
              <Button small look="danger" onClick={() => drop(row)}>
                {row.state === 'building' ? t('Abort and drop…') : t('Drop…')}
              </Button>
            ),
        },
      ]),
]
