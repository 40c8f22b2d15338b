import type { WorkloadResult } from '../../api/types'
import { count, duration, fixed } from '../../format'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { ms, percent } from './run-words'
import { t, tIn } from '../../language/text'
import { figureNames } from '../../components/api-words'

const columns = [
  ['mean', 'meanMs'],
  ['σ', 'stdDevMs'],
  ['p50', 'p50Ms'],
  ['p90', 'p90Ms'],
  ['p99', 'p99Ms'],
  ['p99.9', 'p999Ms'],
  ['max', 'maxMs'],
] as const
const directionWords = { read: tIn('direction', 'read'), write: tIn('direction', 'write') } as const
const shares = [
  ['≤ 1 ms', 'under1msPct'],
  ['≤ 2 ms', 'under2msPct'],
  ['≤ 8 ms', 'under8msPct'],
  ['≤ 64 ms', 'under64msPct'],
] as const

/** The figures of a whole run by operation. */
export function ResultCard({ result }: { result: WorkloadResult }) {
  const rows = (['read', 'write'] as const).filter((name) => result[name].count > 0)
  const errors = Object.entries(result.errors)
  return (
    <Card title={t('Result')} aside={t('latency from the scheduled start of each operation')} flush>
      <ScrollTable label={t('Percentiles')} caption={t('Latency by operation')}>
        <thead>
          <tr>
            <th scope="col">{t('operation')}</th>
            <th scope="col" className="right">
              {t('count')}
            </th>
            {[...columns, ...shares].map(([label]) => (
              <th key={label} scope="col" className="right">
                {figureNames(label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((name) => (
            <tr key={name}>
              <td>{directionWords[name]}</td>
              <td className="right">{count(result[name].count)}</td>
              {columns.map(([label, field]) => (
                <td key={label} className="right">
                  {ms(result[name][field])}
                </td>
              ))}
              {shares.map(([label, field]) => (
                <td key={label} className="right">
                  {percent(result[name][field])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <dl className="facts" style={{ padding: '8px 14px 12px' }}>
        <dt>{t('took')}</dt>
        <dd>{duration(result.elapsedSeconds)}</dd>
        <dt>{t('CPU of the server')}</dt>
        <dd>
          {t('{n} µs per operation · {n2}%', {
            n: fixed(result.cpuMicrosPerOperation, 2),
            n2: fixed(result.cpuPct, 0),
          })}
        </dd>
        {errors.length > 0 && (
          <>
            <dt>{t('errors')}</dt>
            <dd>
              {errors.map(([code, times]) => `${code} × ${count(times)}`).join(', ')}
              {result.errorMessage === undefined ? '' : `: ${result.errorMessage}`}
            </dd>
          </>
        )}
        {result.timeouts > 0 && (
          <>
            <dt>{t('timeouts')}</dt>
            <dd>{count(result.timeouts)}</dd>
          </>
        )}
        {result.missed > 0 && (
          <>
            <dt>{t('scheduled, not started')}</dt>
            <dd>{count(result.missed)}</dd>
          </>
        )}
      </dl>
    </Card>
  )
}
