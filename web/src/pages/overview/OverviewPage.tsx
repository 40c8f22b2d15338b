import { useQuery } from '@tanstack/react-query'
import { alertsQuery, namespacesQuery, statusQuery } from '../../api/queries'
import { MemoryBar } from '../../components/MemoryBar'
import { RangeControl } from '../../components/RangeControl'
import { Streamed } from '../../components/Streamed'
import { bytes } from '../../format'
import { useRange } from '../../live/range'
import { useFeed } from '../../live/use-feed'
import { windows } from '../../live/window'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Later } from '../../ui/Later'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { DiskCard } from './DiskCard'
import { EventsCard } from './EventsCard'
import { FirstRun } from './FirstRun'
import { Health } from './Health'
import { RunningJobs } from './RunningJobs'
import { SparkTiles } from './SparkTiles'
import { TopNamespaces } from './TopNamespaces'
import { t } from '../../language/text'

/** A second of a quiet server says little. */
const LEAST_STEP_MS = 5_000

/** Health, activity and resources; first steps on an empty server. */
export function OverviewPage() {
  const status = useQuery(statusQuery())
  const alerts = useQuery(alertsQuery())
  const namespaces = useQuery(namespacesQuery())
  const range = useRange()
  const now = useFeed(windows['1m'].ms, windows['1m'].stepMs)
  const shown = useFeed(range.ms, Math.max(range.stepMs, LEAST_STEP_MS))
  const problem = status.error ?? namespaces.error
  return (
    <Page title={t('Overview')} controls={<RangeControl />}>
      {problem !== null && (
        <Problem
          error={problem}
          onRetry={() => {
            void status.refetch()
            void namespaces.refetch()
          }}
        />
      )}
      <Health status={status.data} alerts={alerts.data ?? (alerts.isError ? null : undefined)} />
      <Streamed>
        <SparkTiles now={now} shown={shown} words={range.words} alerts={alerts.data?.items} />
      </Streamed>
      <FirstRun namespaces={namespaces.data?.items} />
      <Later>
        <div className="grid-2 top">
          <Streamed>
            <Card
              title={t('Memory')}
              aside={
                status.data &&
                t(
                  'process {residentBytes} of {memoryTotalBytes} · CPU {cpuPercent}% · event loop {p99Ms} ms late (p99)',
                  {
                    residentBytes: bytes(status.data.residentBytes),
                    memoryTotalBytes: bytes(status.data.memoryTotalBytes),
                    cpuPercent: Math.round(status.data.cpuPercent),
                    p99Ms: Math.round(status.data.gateway.loopDelay.p99Ms),
                  },
                )
              }
            >
              {status.data === undefined ? <Skeleton lines={7} /> : <MemoryBar memory={status.data.memory} />}
            </Card>
          </Streamed>
          <Streamed>
            <RunningJobs />
            <DiskCard status={status.data} live={now} />
          </Streamed>
          <Streamed>
            <TopNamespaces namespaces={namespaces.data?.items} now={now} />
          </Streamed>
          <Streamed>
            <EventsCard shown={shown} words={range.words} />
          </Streamed>
        </div>
      </Later>
    </Page>
  )
}
