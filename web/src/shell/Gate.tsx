import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { startTransition, useDeferredValue, useEffect, useState } from 'react'
import { topRole } from '../pages/access/roles'
import { changesSomething, mayDo, roleNeeded } from '../api/may'
import { firstReads } from '../api/prefetch'
import { meQuery } from '../api/queries'
import { useReadOnly } from '../api/use-read-only'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { Problem } from '../ui/Problem'
import { Loading } from './Loading'
import { Page } from './Page'
import { needsOf } from './page-needs'
import { t } from '../language/text'

/** The page of the address, or the role that it needs. No page begins before it is known who the caller is. */
export function Gate() {
  // The shell is drawn first, so that no task draws both.
  const isShellDrawn = useDeferredValue(true, false)
  const isRead = useFirstReads()
  const { data: me, error, refetch } = useQuery(meQuery())
  const isReadOnly = useReadOnly()
  const at = useMatches({ select: (matches) => matches.at(-1) })
  if (me === undefined)
    return error === null ? (
      <Loading />
    ) : (
      <Page title={t('Tessera')}>
        <Problem error={error} onRetry={() => void refetch()} />
      </Page>
    )
  if (!isShellDrawn || !isRead) return <Loading />
  const needs = needsOf(at?.fullPath ?? '')
  const changes = needs !== undefined && changesSomething(needs)
  // It would ask for what is refused.
  if (changes && isReadOnly === undefined) return <Loading />
  const isRefused = changes && isReadOnly === true
  const { ns } = (at?.params ?? {}) as { ns?: string }
  if (needs === undefined || (mayDo(me, needs, { namespace: ns }) && !isRefused)) return <Outlet />
  return (
    <Page title={isRefused ? t('Read-only') : t('Not permitted')}>
      <Card>
        <Empty
          title={
            isRefused
              ? t('This server is read-only')
              : t('This page needs the role {needs}', { needs: roleNeeded(needs) })
          }
          action={
            <Link to="/" className="btn">
              {t('Overview')}
            </Link>
          }
        >
          {isRefused
            ? t('This page changes something, and the server refuses every change.')
            : t('{user} has the role {grants}.', { user: me.user, grants: topRole(me.grants) ?? t('no role') })}
        </Empty>
      </Card>
    </Page>
  )
}

/**
 * Whether the first page can be drawn with what it reads first. An answer that comes later draws all that shows it in one
 * task; so the first page waits a little.
 */
function useFirstReads(): boolean {
  const [isRead, setIsRead] = useState(firstReads() === undefined)
  useEffect(() => {
    void Promise.resolve(firstReads()).then(() => startTransition(() => setIsRead(true)))
  }, [])
  return isRead
}
