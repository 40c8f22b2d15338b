import { count, plural, rate } from '../../format'
import { ScrollTable } from '../../table/ScrollTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Progress } from '../../ui/Progress'
import { ms } from './cost'
import { ScanFailed, type SpeedUpState, speedUpRows, THREADS } from './speed-up'

/** Below this duration, starting threads costs as much as the scan. */
const SHORT_MS = 20

interface Props {
  state: SpeedUpState
  /** whether the form has a scan to run */
  valid: boolean
  cpus: number
  onStart: () => void
  onStop: () => void
}

/** Measures the speed-up of the form's scan with more threads. */
export function SpeedUpCard({ state, valid, cpus, onStart, onStop }: Props) {
  const { phase, measured, scans, job, error } = state
  const running = phase === 'running'
  const rows = speedUpRows(measured)
  const alone = rows[0]?.elapsedMs
  return (
    <Card
      title="Speed-up"
      aside={`over ${THREADS.join(', ')} threads`}
      end={
        // One element for both, so that it keeps the focus.
        <Button
          small
          look={running ? 'danger' : 'plain'}
          disabled={!running && !valid}
          onClick={running ? onStop : onStart}
        >
          {running ? 'Stop measuring' : 'Measure speed-up'}
        </Button>
      }
    >
      <div className="stack">
        <p className="mute">
          Runs the scan above as background jobs, {plural(scans / THREADS.length, 'time')} for each number of threads,
          in turn. The jobs read and filter bodies but send no records; limit, bins and throttle do not apply. This
          machine has {plural(cpus, 'core')}.
        </p>
        {running && (
          <div className="stack-small">
            <Progress label="Progress of the speed-up" done={measured.length} total={scans} />
            <p className="num mute" role="status">
              scan {Math.min(measured.length + 1, scans)} of {scans}
              {job !== undefined && ` · ${plural(job.threads, 'thread')}`}
            </p>
          </div>
        )}
        {phase === 'stopped' && (
          <p role="status">
            Stopped after {measured.length} of {plural(scans, 'scan')}.
          </p>
        )}
        {error !== undefined && <Failure error={error} />}
        {measured.length > 0 && (
          <ScrollTable label="Speed-up">
            <thead>
              <tr>
                <th scope="col">threads</th>
                <th scope="col" className="right">
                  median
                </th>
                <th scope="col" className="right">
                  rate
                </th>
                <th scope="col" className="right">
                  speed-up
                </th>
                <th scope="col" className="right">
                  runs
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ threads, runs, elapsedMs, recordsPerSecond, speedUp }) => (
                <tr key={threads}>
                  <th scope="row">{threads}</th>
                  <td className="right">{elapsedMs === undefined ? '–' : ms(elapsedMs)}</td>
                  <td className="right">{recordsPerSecond === undefined ? '–' : rate(recordsPerSecond)}</td>
                  <td className="right">{speedUp === undefined ? '–' : `${speedUp.toFixed(2)}×`}</td>
                  <td className="right mute">{count(runs)}</td>
                </tr>
              ))}
            </tbody>
          </ScrollTable>
        )}
        {phase === 'done' && alone !== undefined && alone < SHORT_MS && (
          <p className="mute">
            One thread is done in {ms(alone)}, which is too short to compare threads. Scan more records.
          </p>
        )}
        {phase === 'done' && cpus < Math.max(...THREADS) && (
          <p className="mute">
            More threads than the {plural(cpus, 'core')} help only if they wait for a device or a client.
          </p>
        )}
      </div>
    </Card>
  )
}

function Failure({ error }: { error: unknown }) {
  if (!(error instanceof ScanFailed)) return <Problem error={error} />
  return (
    <div className="problem" role="alert">
      <div className="spread">
        <strong>The scan on {plural(error.threads, 'thread')} failed</strong>
        <code>{error.code}</code>
      </div>
      <span>{error.message}</span>
    </div>
  )
}
