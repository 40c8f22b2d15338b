import { t } from '../../language/text'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { namespacesQuery } from '../../api/queries'
import type { Namespace } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { NamespaceNotices } from '../../components/namespaces/NamespaceNotices'
import { NamespaceState } from '../../components/namespaces/NamespaceState'
import { isOpen } from '../../components/namespaces/namespace-states'
import { recordsText } from '../../components/namespaces/records-text'
import { useStatusPart } from '../../components/use-status'
import { bytes, count, latency, rate } from '../../format'
import { quantile } from '../../live/latency/quantile'
import type { Totals } from '../../live/latency/totals'
import { useWritten, writeText } from '../../live/use-written'
import { Page } from '../../shell/Page'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { DroppedCard } from './DroppedCard'
import { NamespaceLoads } from './namespace-loads'
import { OrphansCard } from './OrphansCard'
import { PartialCard } from './PartialCard'

/** Rows from which on only those in view are drawn. */
const LONG = 40
/** Of the columns of a long list, pixels. A short one has them as wide as its content. */
const widths: Record<string, Pick<ColumnDef<Namespace>, 'width' | 'grows'>> = {
  name: { width: 170, grows: true },
  state: { width: 96 },
  engine: { width: 96 },
  records: { width: 84 },
  memory: { width: 96 },
  disk: { width: 84 },
  sets: { width: 72 },
  indexes: { width: 84 },
  load: { width: 84 },
  p99: { width: 84 },
  'last write': { width: 110 },
}

const create = (
  <Link to="/namespaces/new" className="btn primary">
    {t('Create a namespace')}
  </Link>
)

/** All namespaces with their size, load and state. */
export function NamespacesPage() {
  const { data, error, refetch } = useQuery({ ...namespacesQuery(), refetchInterval: 5000 })
  const notices = useStatusPart((status) => status.notices) ?? []
  const may = useMay()
  const creates = may('createNamespace')
  const isLong = (data?.items.length ?? 0) > LONG
  const columns = useMemo(() => columnsWith(new NamespaceLoads()), [])
  const fixed = useMemo(() => columns.map((column) => ({ ...column, ...widths[column.name] })), [columns])
  const partial = data?.partial ?? []
  return (
    <Page title={t('Namespaces')} controls={creates && data !== undefined && data.items.length > 0 && create}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {notices.length > 0 && (
        <div className="note warn">
          <NamespaceNotices notices={notices} />
        </div>
      )}
      {(data?.items.length !== 0 || partial.length === 0) && (
        <Card flush={data !== undefined && data.items.length > 0}>
          {data === undefined && error === null && <Skeleton lines={5} height={22} />}
          {data?.items.length === 0 && partial.length === 0 && (
            <Empty
              title={t('No namespaces yet')}
              action={creates ? create : <RoleNeeded what={t('Creating one')} operation="createNamespace" />}
            >
              {t('A namespace holds records. It has a storage engine, a fixed number of segments, and its own limits.')}
            </Empty>
          )}
          {data !== undefined && data.items.length > 0 && (
            <DataTable
              label={t('Namespaces')}
              list="namespaces"
              noun={(n) => t('{n, plural, one {# namespace} other {# namespaces}}', { n })}
              columns={isLong ? fixed : columns}
              rows={data.items}
              keyOf={(row) => row.name}
              long={isLong}
              tall
            />
          )}
        </Card>
      )}
      {partial.length > 0 && <PartialCard namespaces={partial} />}
      {may('listDropped') && <DroppedCard />}
      {may('listOrphans') && <OrphansCard />}
    </Page>
  )
}

function columnsWith(loads: NamespaceLoads): ColumnDef<Namespace>[] {
  return [
    {
      name: 'name',
      label: t('name'),
      sort: (row) => row.name,
      cell: (row) => (
        <Link to="/namespaces/$ns" params={{ ns: row.name }} className="long-name">
          <strong>{row.name}</strong>
        </Link>
      ),
    },
    {
      name: 'state',
      label: t('state'),
      sort: (row) => row.state,
      cell: (row) => <NamespaceState namespace={row} />,
    },
    {
      name: 'engine',
      label: t('engine'),
      low: 2,
      sort: (row) => row.config.storage.engine,
      cell: (row) => row.config.storage.engine,
    },
    {
      name: 'records',
      label: t('records'),
      right: true,
      sort: (row) => row.records,
      cell: (row) => (isOpen(row) ? recordsText(row) : '–'),
    },
    {
      name: 'memory',
      label: t('memory'),
      low: 3,
      right: true,
      sort: (row) => row.memory.total,
      cell: (row) => (isOpen(row) ? bytes(row.memory.total) : '–'),
    },
    {
      name: 'disk',
      label: t('disk'),
      low: 4,
      right: true,
      sort: (row) => row.device?.bytes ?? 0,
      cell: (row) => (row.device === undefined ? '–' : bytes(row.device.bytes)),
    },
    {
      name: 'sets',
      label: t('sets'),
      low: 6,
      right: true,
      sort: (row) => row.sets,
      cell: (row) => (isOpen(row) ? count(row.sets) : '–'),
    },
    {
      name: 'indexes',
      label: t('indexes'),
      low: 7,
      right: true,
      sort: (row) => row.indexes,
      cell: (row) => count(row.indexes),
    },
    {
      name: 'load',
      label: t('load'),
      right: true,
      sort: (row) => loads.of(row.name)?.n ?? 0,
      subscribe: loads.subscribe,
      cell: ({ name }) => <LoadCell loads={loads} name={name} words={(totals) => rate(totals?.n ?? 0)} />,
    },
    {
      name: 'p99',
      label: t('p99'),
      low: 1,
      right: true,
      cell: ({ name }) => <LoadCell loads={loads} name={name} words={p99Words} />,
    },
    {
      name: 'last write',
      label: t('last write'),
      low: 5,
      sort: (row) => row.lastWriteAt ?? '',
      cell: (row) => (isOpen(row) ? <Ago time={row.lastWriteAt} /> : '–'),
    },
  ]
}

interface LoadProps {
  loads: NamespaceLoads
  name: string
  words: (totals: Totals | undefined) => string
}

/** A figure of the newest second, written in place. */
function LoadCell({ loads, name, words }: LoadProps) {
  const figure = useWritten<HTMLSpanElement>(loads, (element) => writeText(element, words(loads.of(name))))
  return <span ref={figure} />
}

function p99Words(totals: Totals | undefined): string {
  const p99 = totals && quantile(totals, 0.99)
  return p99 === undefined ? '–' : latency(p99)
}
