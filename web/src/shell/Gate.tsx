import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { topRole } from '../pages/access/roles'
import { mayDo, roleNeeded } from '../api/may'
import { meQuery } from '../api/queries'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { Problem } from '../ui/Problem'
import { Loading } from './Loading'
import { Page } from './Page'
import { needsOf } from './page-needs'

/** The page of the address, or the role that it needs. No page begins before it is known who the caller is. */
export function Gate() {
  const { data: me, error, refetch } = useQuery(meQuery())
  const at = useMatches({ select: (matches) => matches.at(-1) })
  if (me === undefined)
    return error === null ? (
      <Loading />
    ) : (
      <Page title="Tessera">
        <Problem error={error} onRetry={() => void refetch()} />
      </Page>
    )
  const needs = needsOf(at?.fullPath ?? '')
  const { ns } = (at?.params ?? {}) as { ns?: string }
  if (needs === undefined || mayDo(me, needs, { namespace: ns })) return <Outlet />
  return (
    <Page title="Not permitted">
      <Card>
        <Empty
          title={`This page needs the role ${roleNeeded(needs)}`}
          action={
            <Link to="/" className="btn">
              Overview
            </Link>
          }
        >
          {me.user} has the role {topRole(me.grants) ?? 'none'}.
        </Empty>
      </Card>
    </Page>
  )
}
