import { count, rate, times } from '../../format'
import { ScrollTable } from '../../table/ScrollTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Progress } from '../../ui/Progress'
import { ms } from './cost'
import { ScanFailed, type SpeedUpState, speedUpRows, THREADS } from './speed-up'
import { t } from '../../language/text'

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
      title={t('Speed-up')}
      aside={t('over {value} threads', { value: THREADS.join(', ') })}
      end={
        // One element for both, so that it keeps the focus.
        <Button
          small
          look={running ? 'danger' : 'plain'}
          disabled={!running && !valid}
          onClick={running ? onStop : onStart}
        >
          {running ? t('Stop measuring') : t('Measure speed-up')}
        </Button>
      }
    >
      <div className="stack">
        <p className="mute">
          {t(
            'Runs the scan above as background jobs, {scans, plural, one {# time} other {# times}} for each number of threads, in turn. The jobs read and filter bodies but send no records; limit, bins and throttle do not apply. This machine has {cpus, plural, one {# core} other {# cores}}.',
            { scans: scans / THREADS.length, cpus },
          )}
        </p>
        {running && (
          <div className="stack-small">
            <Progress label={t('Progress of the speed-up')} done={measured.length} total={scans} />
            <p className="num mute" role="status">
              {t('scan {measured} of {scans}', { measured: Math.min(measured.length + 1, scans), scans })}
              {job !== undefined &&
                ` · ${t('{threads, plural, one {# thread} other {# threads}}', { threads: job.threads })}`}
            </p>
          </div>
        )}
        {phase === 'stopped' && (
          <p role="status">
            {t('Stopped after {measured} of {scans, plural, one {# scan} other {# scans}}.', {
              measured: measured.length,
              scans,
            })}
          </p>
        )}
        {error !== undefined && <Failure error={error} />}
        {measured.length > 0 && (
          <ScrollTable label={t('Speed-up')}>
            <thead>
              <tr>
                <th scope="col">{t('threads')}</th>
                <th scope="col" className="right">
                  {t('median')}
                </th>
                <th scope="col" className="right">
                  {t('rate')}
                </th>
                <th scope="col" className="right">
                  {t('speed-up')}
                </th>
                <th scope="col" className="right">
                  {t('runs')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ threads, runs, elapsedMs, recordsPerSecond, speedUp }) => (
                <tr key={threads}>
                  <th scope="row">{threads}</th>
                  <td className="right">{elapsedMs === undefined ? '–' : ms(elapsedMs)}</td>
                  <td className="right">{recordsPerSecond === undefined ? '–' : rate(recordsPerSecond)}</td>
                  <td className="right">{times(speedUp)}</td>
                  <td className="right mute">{count(runs)}</td>
                </tr>
              ))}
            </tbody>
          </ScrollTable>
        )}
        {phase === 'done' && alone !== undefined && alone < SHORT_MS && (
          <p className="mute">
            {t('One thread is done in {alone}, which is too short to compare threads. Scan more records.', {
              alone: ms(alone),
            })}
          </p>
        )}
        {phase === 'done' && cpus < Math.max(...THREADS) && (
          <p className="mute">
            {t(
              'More threads than the {cpus, plural, one {# core} other {# cores}} help only if they wait for a device or a client.',
              { cpus },
            )}
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
        <strong>
          {t('The scan on {threads, plural, one {# thread} other {# threads}} failed', { threads: error.threads })}
        </strong>
        <code>{error.code}</code>
      </div>
      <span>{error.message}</span>
    </div>
  )
}
