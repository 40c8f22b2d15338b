import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { topRole } from '../pages/access/roles'
import { changesSomething, mayDo, roleNeeded } from '../api/may'
import { meQuery } from '../api/queries'
import { useReadOnly } from '../api/use-read-only'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { Problem } from '../ui/Problem'
import { Loading } from './Loading'
import { Page } from './Page'
import { needsOf } from './page-needs'

/** The page of the address, or the role that it needs. No page begins before it is known who the caller is. */
export function Gate() {
  const { data: me, error, refetch } = useQuery(meQuery())
  const isReadOnly = useReadOnly()
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
  const changes = needs !== undefined && changesSomething(needs)
  // It would ask for what is refused.
  if (changes && isReadOnly === undefined) return <Loading />
  const isRefused = changes && isReadOnly === true
  const { ns } = (at?.params ?? {}) as { ns?: string }
  if (needs === undefined || (mayDo(me, needs, { namespace: ns }) && !isRefused)) return <Outlet />
  return (
    <Page title={isRefused ? 'Read-only' : 'Not permitted'}>
      <Card>
        <Empty
          title={isRefused ? 'This server is read-only' : `This page needs the role ${roleNeeded(needs)}`}
          action={
            <Link to="/" className="btn">
              Overview
            </Link>
          }
        >
          {isRefused
            ? 'This page changes something, and the server refuses every change.'
            : `${me.user} has the role ${topRole(me.grants) ?? 'none'}.`}
        </Empty>
      </Card>
    </Page>
  )
}
