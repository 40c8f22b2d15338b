import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Namespace } from '../../api/types'
import { useMay } from '../../api/use-may'
import { isOpen } from '../../components/namespaces/namespace-states'
import { shortRecordsText } from '../../components/namespaces/records-text'
import { bytes, latency, rate } from '../../format'
import type { Feed } from '../../live/feed'
import { quantile } from '../../live/latency/quantile'
import { useFeedValue } from '../../live/use-feed'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { t } from '../../language/text'

const SHOWN = 5

interface Busy {
  namespace: Namespace
  /** operations a second */
  load: number
  p99?: number | undefined
}

/** The busiest namespaces, by name. */
function busiestOf(namespaces: readonly Namespace[], { buffer, endMs, windowMs }: Feed) {
  const span = [endMs - windowMs, endMs] as const
  const loads = buffer.loads(...span, 'engine')
  return namespaces
    .map(({ name, records }) => ({ name, records, load: loads.get(name) ?? 0 }))
    .toSorted((a, b) => b.load - a.load || b.records - a.records)
    .slice(0, SHOWN)
    .map(({ name, load }) => ({
      name,
      load,
      p99: quantile(buffer.sum(...span, { namespace: name, side: 'engine' }).totals, 0.99),
    }))
}

const NONE: readonly Namespace[] = []

/** React asks more than once for what a version says. */
function onceAVersion(make: (feed: Feed) => string): (feed: Feed) => string {
  let known: { version: number; text: string } | undefined
  return (feed) => {
    if (known?.version !== feed.version) known = { version: feed.version, text: make(feed) }
    return known.text
  }
}

/** A frame that changes no figure gives the same rows, and draws nothing. */
function useBusiest(namespaces: readonly Namespace[], now: Feed): Busy[] {
  const read = useMemo(() => onceAVersion((feed) => JSON.stringify(busiestOf(namespaces, feed))), [namespaces])
  const text = useFeedValue(now, read)
  return useMemo(() => {
    const busiest = JSON.parse(text) as ReturnType<typeof busiestOf>
    return busiest.flatMap(({ name, load, p99 }) => {
      const namespace = namespaces.find((one) => one.name === name)
      return namespace === undefined ? [] : [{ namespace, load, p99 }]
    })
  }, [text, namespaces])
}

/** The busiest namespaces of the last minute. */
export function TopNamespaces({ namespaces, now }: { namespaces: Namespace[] | undefined; now: Feed }) {
  const may = useMay()
  const rows = useBusiest(namespaces ?? NONE, now)
  const columns = useMemo(() => columnsOf(), [])
  return (
    <Card
      title={t('Top namespaces')}
      aside={t('by load in the last minute')}
      flush={rows.length > 0}
      end={
        <Link to="/namespaces" className="small">
          {t('all namespaces')}
        </Link>
      }
    >
      {namespaces === undefined && <Skeleton lines={3} />}
      {namespaces?.length === 0 && (
        <p className="mute">
          {t('None yet.')} {may('createNamespace') && <Link to="/namespaces/new">{t('Create one')}</Link>}
        </p>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Top namespaces')}
          keyOf={({ namespace }) => namespace.name}
          rows={rows}
          columns={columns}
        />
      )}
    </Card>
  )
}

function columnsOf(): ColumnDef<Busy>[] {
  return [
    {
      name: 'name',
      label: t('name'),
      cell: ({ namespace }) => (
        <Link to="/namespaces/$ns" params={{ ns: namespace.name }}>
          {namespace.name}
        </Link>
      ),
    },
    {
      name: 'records',
      label: t('records'),
      right: true,
      cell: ({ namespace }) => (isOpen(namespace) ? shortRecordsText(namespace) : '–'),
    },
    {
      name: 'memory',
      label: t('memory'),
      right: true,
      cell: ({ namespace }) => (isOpen(namespace) ? bytes(namespace.memory.total) : '–'),
    },
    { name: 'load', label: t('load'), right: true, cell: ({ load }) => rate(load) },
    { name: 'p99', label: t('p99'), right: true, cell: ({ p99 }) => (p99 === undefined ? '–' : latency(p99)) },
  ]
}
