import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { namespaceQuery } from '../../../api/queries'
import { useMay } from '../../../api/use-may'
import { EventScope } from '../../../charts/events/scope'
import { NamespaceState } from '../../../components/namespaces/NamespaceState'
import { can, type Feature } from '../../../components/namespaces/can'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { Page } from '../../../shell/Page'
import { mayOpen } from '../../../shell/page-needs'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { StateNote } from './StateNote'
import { t } from '../../../language/text'

const tabs = [
  { to: '/namespaces/$ns', label: t('Overview'), on: 'any' },
  { to: '/namespaces/$ns/sets', label: t('Sets'), on: 'open' },
  { to: '/namespaces/$ns/schema', label: t('Schema'), on: 'open' },
  { to: '/namespaces/$ns/indexes', label: t('Indexes'), on: 'open' },
  { to: '/namespaces/$ns/device', label: t('Device'), on: 'device' },
  { to: '/namespaces/$ns/storage', label: t('Storage'), on: 'paged' },
  { to: '/namespaces/$ns/cluster', label: t('Cluster'), on: 'cassandra' },
  { to: '/namespaces/$ns/segments', label: t('Segments'), on: 'open', needs: 'segments' },
  { to: '/namespaces/$ns/config', label: t('Configuration'), on: 'open' },
  { to: '/namespaces/$ns/migrate', label: t('Migrate'), on: 'migrate' },
  { to: '/namespaces/$ns/danger', label: t('Danger zone'), on: 'any' },
] as const satisfies readonly { to: string; label: string; on: string; needs?: Feature }[]

/** One namespace. Each tab is a page with its own address. */
export function NamespaceLayout() {
  const { ns } = useParams({ strict: false }) as { ns: string }
  const { data, error, refetch } = useQuery({ ...namespaceQuery(ns), refetchInterval: 3000 })
  const may = useMay()
  const migrates = data?.migration !== undefined || may('migrateNamespace', { namespace: ns })
  // A namespace that is not open has only its state and the danger zone.
  const shown = tabs.filter(
    (tab) =>
      mayOpen(may, tab.to, ns) &&
      (tab.on === 'any' ||
        data === undefined ||
        (isOpen(data) &&
          (tab.on === 'open' || (tab.on === 'migrate' && migrates) || data.config.storage.engine === tab.on) &&
          (!('needs' in tab) || can(data, tab.needs)))),
  )
  return (
    <Page
      title={ns}
      controls={
        data !== undefined && (
          <>
            <NamespaceState namespace={data} />
            <span className="badge">{data.config.storage.engine}</span>
            {data.config.container === 'flat' && <span className="badge">{t('flat')}</span>}
            {data.config.singleBin === true && <span className="badge">{t('single bin')}</span>}
            {isOpen(data) && (
              <>
                <Link to="/live" search={{ ns }} className="btn small">
                  {t('Live latency')}
                </Link>
                <Link to="/records" search={{ ns }} className="btn small">
                  {t('Records')}
                </Link>
              </>
            )}
          </>
        )
      }
    >
      <nav className="tabs" aria-label={t('Parts of {ns}', { ns })}>
        {shown.map(({ to, label }) => (
          <Link key={to} to={to} params={{ ns }} activeOptions={{ exact: true, includeSearch: false }}>
            {label}
          </Link>
        ))}
      </nav>
      {error !== null && data === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {data !== undefined && <StateNote namespace={data} />}
      {/* Reset the state of a page for another namespace. */}
      {data !== undefined && (
        <EventScope value={ns}>
          <Outlet key={ns} />
        </EventScope>
      )}
    </Page>
  )
}
