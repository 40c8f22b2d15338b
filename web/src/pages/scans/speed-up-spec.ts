import type { ChartSpec } from '../../charts/spec/spec'
import type { SpeedUpRow } from './speed-up'
import { t } from '../../language/text'

const NS_PER_MS = 1e6

/** The speed-up of each number of threads, and the ideal: as many times as there are threads. */
export function speedUpSpec(rows: readonly SpeedUpRow[]): ChartSpec {
  const threads = rows.map((row) => row.threads)
  const known = (of: (row: SpeedUpRow) => number | undefined): (number | null)[] => rows.map((row) => of(row) ?? null)
  return {
    x: { name: 'threads', titled: true, scale: 'linear', format: 'count', values: threads },
    y: { scale: 'linear', format: 'times' },
    series: [
      { id: 'measured', name: t('measured'), colour: 1, look: 'points', values: known(({ speedUp }) => speedUp) },
      { id: 'ideal', name: t('ideal'), colour: 5, look: 'points', values: threads },
    ],
    facts: [
      { name: 'median', format: 'latency', values: known(({ elapsedMs }) => elapsedMs && elapsedMs * NS_PER_MS) },
      { name: t('records per second'), format: 'rate', values: known(({ recordsPerSecond }) => recordsPerSecond) },
      { name: 'runs', format: 'count', values: rows.map(({ runs }) => runs) },
    ],
  }
}
