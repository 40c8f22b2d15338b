import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { adviceQuery } from '../../api/profile'
import type { AdvisedIndex, AdvisedSetIndex, IndexAdvice } from '../../api/types'
import { useMay } from '../../api/use-may'
import { bytes, count, duration, moment } from '../../format'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { covered } from './index-words'

/** Which indexes would help a namespace, made on demand: it reads a sample of its sets. */
export function AdviceCards({ ns }: { ns: string }) {
  const { data, error, isFetching, refetch } = useQuery({ ...adviceQuery(ns), enabled: false })
  const creates = useMay()('createIndex', { namespace: ns })
  return (
    <Card
      title="Advice"
      aside="from queries that ran without an index, and a sample of the records"
      end={
        <Button small busy={isFetching} onClick={() => void refetch()}>
          {data === undefined ? 'Look for indexes that would help' : 'Look again'}
        </Button>
      }
      flush={data !== undefined && data.indexes.length > 0}
    >
      <Problem error={error} />
      {data !== undefined && (
        <p className="mute pad" role="status">
          {resultWords(data)}
        </p>
      )}
      {data !== undefined && data.indexes.length > 0 && (
        <DataTable
          label="Indexes that would help"
          columns={adviceColumns(ns, creates)}
          rows={data.indexes}
          keyOf={({ spec }) => JSON.stringify(spec)}
        />
      )}
      {data !== undefined && data.setIndexes.length > 0 && (
        <DataTable
          label="Set indexes that would help"
          columns={setColumns(ns)}
          rows={data.setIndexes}
          keyOf={({ set }) => set}
        />
      )}
    </Card>
  )
}

function resultWords({ indexes, setIndexes, since }: IndexAdvice): string {
  const counted = `Queries are counted since ${moment(Date.parse(since))}, when the server began.`
  return indexes.length === 0 && setIndexes.length === 0
    ? `No index would help the queries that ran. ${counted}`
    : `Savings are estimates. ${counted}`
}

const adviceColumns = (ns: string, creates: boolean): ColumnDef<AdvisedIndex>[] => [
  {
    name: 'index on',
    cell: ({ spec, why }) => (
      <span title={why}>
        <code>{covered(spec)}</code> <span className="mute">{spec.kind}</span>
      </span>
    ),
  },
  { name: 'set', low: 3, cell: ({ spec }) => spec.set ?? <span className="mute">all sets</span> },
  {
    name: 'helps',
    low: 2,
    cell: ({ shapes }) => (
      <code className="cut" title={shapes.join('\n')}>
        {shapes[0]}
      </code>
    ),
  },
  {
    name: 'queries',
    low: 1,
    right: true,
    sort: ({ queries, slow }) => Math.max(queries.count, slow.count),
    cell: ({ queries, slow }) => count(Math.max(queries.count, slow.count)),
  },
  {
    name: 'records read',
    right: true,
    cell: ({ records: { before, after } }) => (
      <span title={`Between ${count(after.from)} and ${count(after.to)} with the index.`}>
        {count(before)} to {count(after.about)}
      </span>
    ),
  },
  {
    name: 'time saved',
    right: true,
    sort: ({ savedMs }) => savedMs,
    cell: ({ savedMs }) => duration(savedMs / 1000),
  },
  { name: 'memory', low: 4, right: true, sort: ({ cost }) => cost.bytes, cell: ({ cost }) => bytes(cost.bytes) },
  ...(creates
    ? [
        {
          name: 'actions',
          actions: true,
          cell: ({ spec: { set, bin, path, kind } }: AdvisedIndex) => (
            <Link to="/indexes" search={{ ns, create: true, set, bin, path, kind }} className="btn small">
              Create…
            </Link>
          ),
        },
      ]
    : []),
]

const setColumns = (ns: string): ColumnDef<AdvisedSetIndex>[] => [
  {
    name: 'set index of',
    cell: ({ set, why }) => (
      <span title={why}>
        <strong>{set}</strong>
      </span>
    ),
  },
  { name: 'scans', right: true, cell: ({ queries }) => count(queries.count) },
  {
    name: 'records passed over',
    right: true,
    cell: ({ records: { before, after } }) => `${count(before)} to ${count(after)}`,
  },
  { name: 'memory', low: 1, right: true, cell: (row) => bytes(row.bytes) },
  {
    name: 'actions',
    actions: true,
    cell: () => (
      <Link to="/namespaces/$ns/sets" params={{ ns }} className="btn small">
        Switch on in Sets
      </Link>
    ),
  },
]
