import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { namespaceQuery } from '../../../api/queries'
import { Page } from '../../../shell/Page'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'

const tabs = [
  { to: '/namespaces/$ns', label: 'Overview' },
  { to: '/namespaces/$ns/sets', label: 'Sets' },
  { to: '/namespaces/$ns/indexes', label: 'Indexes' },
  { to: '/namespaces/$ns/segments', label: 'Segments' },
  { to: '/namespaces/$ns/config', label: 'Configuration' },
  { to: '/namespaces/$ns/danger', label: 'Danger zone' },
] as const

/** One namespace: its tabs are pages of their own, so each has an address. */
export function NamespaceLayout() {
  const { ns } = useParams({ strict: false }) as { ns: string }
  const { data, error, refetch } = useQuery({ ...namespaceQuery(ns), refetchInterval: 3000 })
  return (
    <Page
      title={ns}
      controls={
        data !== undefined && (
          <>
            <span className={`badge ${data.state === 'ready' ? 'good' : 'bad'}`}>{data.state}</span>
            <span className="badge">{data.config.storage.engine}</span>
            <Link to="/live" search={{ ns }} className="btn small">
              Live latency
            </Link>
            <Link to="/records" search={{ ns }} className="btn small">
              Records
            </Link>
          </>
        )
      }
    >
      <nav className="tabs" aria-label={`Parts of ${ns}`}>
        {tabs.map(({ to, label }) => (
          <Link key={to} to={to} params={{ ns }} activeOptions={{ exact: true }}>
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
      {data?.state === 'poisoned' && (
        <div className="problem" role="alert">
          <strong>This namespace refuses writes</strong>
          <span>{data.stateReason}</span>
          <span className="mute">
            Look at the disk and the gateway's log, then restart: the index is rebuilt from what is on disk.
          </span>
        </div>
      )}
      {data !== undefined && <Outlet />}
    </Page>
  )
}
