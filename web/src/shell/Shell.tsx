import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { watchActivity } from '../api/activity'
import { meQuery } from '../api/queries'
import { SIGN_IN_WAYS } from '../api/access'
import { onSignedOut } from '../api/session-state'
import { withoutBase } from '../base-path'
import { watchPaper } from '../charts/paper'
import { noteProgress } from '../components/jobs/job-rates'
import { useReadsAfterLoss } from '../components/use-reads-after-loss'
import { connection } from '../live/connection'
import { eventLog } from '../live/event-log'
import { AlertMarks } from './AlertMarks'
import { CallsFooter } from './CallsFooter'
import { CommandPalette, prefetchPalette } from './commands/CommandPalette'
import { Gate } from './Gate'
import { useKiosk, useScreenOn } from './kiosk'
import { Nav } from './nav/Nav'
import { RecoveryBanner } from './RecoveryBanner'
import { StaleBanner } from './StaleBanner'
import { Shortcuts } from './commands/Shortcuts'
import { useShortcuts } from './commands/use-shortcuts'
import { t } from '../language/text'

/** Everything around a page. Keeps the live stream open, and redirects to the sign-in page if signed out. */
export function Shell() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  useShortcuts()
  useEffect(() => {
    connection.start()
    return () => connection.stop()
  }, [])
  useReadsAfterLoss()
  useEffect(prefetchPalette, [])
  useEffect(watchPaper, [])
  useEffect(() => watchActivity(() => void queries.prefetchQuery({ ...meQuery(), staleTime: 0 })), [queries])
  useEffect(
    () =>
      connection.onFrame(({ jobs = [], timeMs }) => {
        for (const job of jobs) noteProgress(job, timeMs)
      }),
    [],
  )
  useEffect(
    () =>
      onSignedOut(({ byChoice }) => {
        connection.stop()
        eventLog.forget()
        // An address may have what the person has typed. It is for the next session of the same person alone.
        const search = byChoice ? {} : { next: withoutBase(location.pathname) + location.search }
        const person = queries.getQueryData(meQuery().queryKey)?.id
        // The page that is open would read again what is no longer kept. The sign-in page has read its part by then.
        void navigate({ to: '/login', search, state: { person } }).then(() =>
          queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SIGN_IN_WAYS }),
        )
      }),
    [navigate, queries],
  )
  const kiosk = useKiosk()
  useScreenOn(kiosk)
  return (
    <div className={kiosk ? 'shell kiosk' : 'shell'}>
      <a href="#content" className="skip-link">
        {t('Skip to content')}
      </a>
      {!kiosk && <Nav />}
      <div className="main">
        <StaleBanner />
        <RecoveryBanner />
        <Gate />
        {!kiosk && <CallsFooter />}
      </div>
      <AlertMarks />
      <CommandPalette />
      <Shortcuts />
    </div>
  )
}
