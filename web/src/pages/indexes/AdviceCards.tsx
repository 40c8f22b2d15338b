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
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'
import { serverText } from '../../language/server-text'

/** Which indexes would help a namespace, made on demand: it reads a sample of its sets. */
export function AdviceCards({ ns }: { ns: string }) {
  const { data, error, isFetching, refetch } = useQuery({ ...adviceQuery(ns), enabled: false })
  const creates = useMay()('createIndex', { namespace: ns })
  return (
    <Card
      title={t('Advice')}
      aside={t('from queries that ran without an index, and a sample of the records')}
      end={
        <Button small busy={isFetching} onClick={() => void refetch()}>
          {data === undefined ? t('Look for indexes that would help') : t('Look again')}
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
          label={t('Indexes that would help')}
          columns={adviceColumns(ns, creates)}
          rows={data.indexes}
          keyOf={({ spec }) => JSON.stringify(spec)}
        />
      )}
      {data !== undefined && data.setIndexes.length > 0 && (
        <DataTable
          label={t('Set indexes that would help')}
          columns={setColumns(ns)}
          rows={data.setIndexes}
          keyOf={({ set }) => set}
        />
      )}
    </Card>
  )
}

function resultWords({ indexes, setIndexes, since }: IndexAdvice): string {
  const counted = t('Queries are counted since {since}, when the server began.', { since: moment(Date.parse(since)) })
  return indexes.length === 0 && setIndexes.length === 0
    ? t('No index would help the queries that ran. {counted}', { counted })
    : t('Savings are estimates. {counted}', { counted })
}

const adviceColumns = (ns: string, creates: boolean): ColumnDef<AdvisedIndex>[] => [
  {
    name: 'index on',
    label: t('index on'),
    cell: ({ spec, why, said }) => (
      <Tip text={serverText(why, said)}>
        <span>
          <code>{covered(spec)}</code> <span className="mute">{spec.kind}</span>
        </span>
      </Tip>
    ),
  },
  {
    name: 'set',
    label: t('set'),
    low: 3,
    cell: ({ spec }) => spec.set ?? <span className="mute">{t('all sets')}</span>,
  },
  {
    name: 'helps',
    label: t('helps'),
    low: 2,
    cell: ({ shapes }) => (
      <Tip text={shapes.join('\n')}>
        <code className="cut">{shapes[0]}</code>
      </Tip>
    ),
  },
  {
    name: 'queries',
    label: t('queries'),
    low: 1,
    right: true,
    sort: ({ queries, slow }) => Math.max(queries.count, slow.count),
    cell: ({ queries, slow }) => count(Math.max(queries.count, slow.count)),
  },
  {
    name: 'records read',
    label: t('records read'),
    right: true,
    cell: ({ records: { before, after } }) => (
      <Tip text={t('Between {from} and {to} with the index.', { from: count(after.from), to: count(after.to) })}>
        <span>{t('{before} to {about}', { before: count(before), about: count(after.about) })}</span>
      </Tip>
    ),
  },
  {
    name: 'time saved',
    label: t('time saved'),
    right: true,
    sort: ({ savedMs }) => savedMs,
    cell: ({ savedMs }) => duration(savedMs / 1000),
  },
  {
    name: 'memory',
    label: t('memory'),
    low: 4,
    right: true,
    sort: ({ cost }) => cost.bytes,
    cell: ({ cost }) => bytes(cost.bytes),
  },
  ...(creates
    ? [
        {
          name: 'actions',
          label: t('actions'),
          actions: true,
          cell: ({ spec: { set, bin, path, kind } }: AdvisedIndex) => (
            <Link to="/indexes" search={{ ns, create: true, set, bin, path, kind }} className="btn small">
              {t('Create…')}
            </Link>
          ),
        },
      ]
    : []),
]

const setColumns = (ns: string): ColumnDef<AdvisedSetIndex>[] => [
  {
    name: 'set index of',
    label: t('set index of'),
    cell: ({ set, why, said }) => (
      <Tip text={serverText(why, said)}>
        <span>
          <strong>{set}</strong>
        </span>
      </Tip>
    ),
  },
  { name: 'scans', label: t('scans'), right: true, cell: ({ queries }) => count(queries.count) },
  {
    name: 'records passed over',
    label: t('records passed over'),
    right: true,
    cell: ({ records: { before, after } }) => t('{before} to {after}', { before: count(before), after: count(after) }),
  },
  { name: 'memory', label: t('memory'), low: 1, right: true, cell: (row) => bytes(row.bytes) },
  {
    name: 'actions',
    label: t('actions'),
    actions: true,
    cell: () => (
      <Link to="/namespaces/$ns/sets" params={{ ns }} className="btn small">
        {t('Switch on in Sets')}
      </Link>
    ),
  },
]
