import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { namespacesQuery } from '../../api/queries'
import type { Namespace } from '../../api/types'
import { NamespaceNotices } from '../../components/namespaces/NamespaceNotices'
import { NamespaceState } from '../../components/namespaces/NamespaceState'
import { isOpen } from '../../components/namespaces/namespace-states'
import { useStatus } from '../../components/use-status'
import { bytes, count, latency, rate } from '../../format'
import { connection } from '../../live/connection'
import { quantile } from '../../live/latency/quantile'
import { addSeries, emptyTotals, type Totals } from '../../live/latency/totals'
import { Page } from '../../shell/Page'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { OrphansCard } from './OrphansCard'

const create = (
  <Link to="/namespaces/new" className="btn primary">
    Create a namespace
  </Link>
)

/** All namespaces with their size, load and state. */
export function NamespacesPage() {
  const { data, error, refetch } = useQuery({ ...namespacesQuery(), refetchInterval: 5000 })
  const status = useStatus()
  const load = useLoad()
  return (
    <Page title="Namespaces" controls={data !== undefined && data.items.length > 0 && create}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {status !== undefined && status.notices.length > 0 && (
        <div className="note warn">
          <NamespaceNotices notices={status.notices} />
        </div>
      )}
      <Card flush={data !== undefined && data.items.length > 0}>
        {data === undefined && error === null && <Skeleton lines={5} height={22} />}
        {data?.items.length === 0 && (
          <Empty title="No namespaces yet" action={create}>
            A namespace holds records. It has a storage engine, a fixed number of segments, and its own limits.
          </Empty>
        )}
        {data !== undefined && data.items.length > 0 && (
          <DataTable label="Namespaces" columns={columns(load)} rows={data.items} keyOf={(row) => row.name} />
        )}
      </Card>
      <OrphansCard />
    </Page>
  )
}

function columns(load: Map<string, Totals>): ColumnDef<Namespace>[] {
  const of = (row: Namespace): Totals | undefined => load.get(row.name)
  return [
    {
      name: 'name',
      sort: (row) => row.name,
      cell: (row) => (
        <Link to="/namespaces/$ns" params={{ ns: row.name }}>
          <strong>{row.name}</strong>
        </Link>
      ),
    },
    {
      name: 'state',
      sort: (row) => row.state,
      cell: (row) => <NamespaceState namespace={row} />,
    },
    { name: 'engine', sort: (row) => row.config.storage.engine, cell: (row) => row.config.storage.engine },
    {
      name: 'records',
      right: true,
      sort: (row) => row.records,
      cell: (row) => (isOpen(row) ? count(row.records) : '–'),
    },
    {
      name: 'memory',
      right: true,
      sort: (row) => row.memory.total,
      cell: (row) => (isOpen(row) ? bytes(row.memory.total) : '–'),
    },
    {
      name: 'disk',
      right: true,
      sort: (row) => row.device?.bytes ?? 0,
      cell: (row) => (row.device === undefined ? '–' : bytes(row.device.bytes)),
    },
    { name: 'sets', right: true, sort: (row) => row.sets, cell: (row) => (isOpen(row) ? count(row.sets) : '–') },
    { name: 'indexes', right: true, sort: (row) => row.indexes, cell: (row) => count(row.indexes) },
    { name: 'load', right: true, sort: (row) => of(row)?.n ?? 0, cell: (row) => rate(of(row)?.n ?? 0) },
    {
      name: 'p99',
      right: true,
      cell: (row) => {
        const totals = of(row)
        const p99 = totals && quantile(totals, 0.99)
        return p99 === undefined ? '–' : latency(p99)
      },
    },
    {
      name: 'last write',
      sort: (row) => row.lastWriteAt ?? '',
      cell: (row) => (isOpen(row) ? <Ago time={row.lastWriteAt} /> : '–'),
    },
  ]
}

/** Engine-side operations of the newest second by namespace. */
function useLoad(): Map<string, Totals> {
  const [load, setLoad] = useState(new Map<string, Totals>())
  useEffect(
    () =>
      connection.onFrame(({ latency: series }) => {
        const next = new Map<string, Totals>()
        for (const one of series) {
          if (one.side !== 'engine') continue
          const totals = next.get(one.namespace) ?? emptyTotals()
          addSeries(totals, one)
          next.set(one.namespace, totals)
        }
        setLoad(next)
      }),
    [],
  )
  return load
}
