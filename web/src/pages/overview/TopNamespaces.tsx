import { Link } from '@tanstack/react-router'
import type { Namespace } from '../../api/types'
import { useMay } from '../../api/use-may'
import { isOpen } from '../../components/namespaces/namespace-states'
import { shortRecordsText } from '../../components/namespaces/records-text'
import { bytes, latency, rate } from '../../format'
import type { Feed } from '../../live/feed'
import { quantile } from '../../live/latency/quantile'
import { totalsOf } from '../../live/latency/summary'
import { useFeedValue, version } from '../../live/use-feed'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { t } from '../../language/text'

const SHOWN = 5

/** The busiest namespaces of the last minute. */
export function TopNamespaces({ namespaces, now }: { namespaces: Namespace[] | undefined; now: Feed }) {
  const may = useMay()
  useFeedValue(now, version)
  const { buffer, endMs, windowMs } = now
  const rows = (namespaces ?? [])
    .map((namespace) => {
      const { totals, seconds } = totalsOf(
        buffer.columns(endMs - windowMs, endMs, { namespace: namespace.name, side: 'engine' }),
      )
      return { namespace, load: seconds > 0 ? totals.n / seconds : 0, p99: quantile(totals, 0.99) }
    })
    .toSorted((a, b) => b.load - a.load || b.namespace.records - a.namespace.records)
    .slice(0, SHOWN)
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
          columns={[
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
          ]}
        />
      )}
    </Card>
  )
}
