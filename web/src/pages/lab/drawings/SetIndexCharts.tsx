import { useMemo } from 'react'
import type { LabReport } from '../../../api/types'
import type { DrawingProps } from './drawing-props'
import { LogChart, type Line } from './LogChart'
import { t } from '../../../language/text'

const storages = [
  { storage: 'memory', title: t('Records in memory') },
  { storage: 'device', title: t('Records on a device') },
] as const
const kinds = [
  { threads: 4, index: 'on', colour: 1 },
  { threads: 4, index: 'off', colour: 3 },
  { threads: 128, index: 'on', colour: 2 },
  { threads: 128, index: 'off', colour: 4 },
] as const

/** Elapsed time by set size, one chart per storage engine. */
export function SetIndexCharts({ report: { rows } }: DrawingProps) {
  return storages.map(({ storage, title }) => <Chart key={storage} {...{ storage, title, rows }} />)
}

function Chart({ storage, title, rows }: { storage: string; title: string; rows: LabReport['rows'] }) {
  const lines = useMemo(
    () =>
      kinds.map(({ threads, index, colour }): Line => ({
        name: t('{threads, plural, one {# thread} other {# threads}}, index {index}', { threads, index }),
        colour,
        points: pointsOf(rows, { storage, threads, index, plan: 'auto' }),
      })),
    [storage, rows],
  )
  return (
    <LogChart
      title={title}
      aside={t('elapsed against set size')}
      x={t('records in the set')}
      y="elapsed"
      lines={lines}
    />
  )
}

function pointsOf(rows: LabReport['rows'], wanted: LabReport['rows'][number]): Line['points'] {
  const keys = Object.keys(wanted)
  return rows
    .filter((row) => keys.every((key) => row[key] === wanted[key]))
    .map((row) => ({ x: Number(row['records']), ms: Number(row['elapsedMs']) }))
    .toSorted((a, b) => a.x - b.x)
}
