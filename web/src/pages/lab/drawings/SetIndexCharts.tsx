import { useMemo } from 'react'
import type { LabReport } from '../../../api/types'
import { LogChart } from '../../../charts/log/LogChart'
import type { LogAxis, Series } from '../../../charts/log/series'
import { count, latency, latencyEdge } from '../../../format'
import type { DrawingProps } from './drawing-props'

const NS_A_MS = 1e6
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })
const size: LogAxis = { name: 'records in the set', text: count, tick: (value) => compact.format(value) }
const elapsed: LogAxis = {
  name: 'elapsed',
  text: (ms) => latency(ms * NS_A_MS),
  tick: (ms) => latencyEdge(Math.round(ms * NS_A_MS)),
}
const storages = [
  { storage: 'memory', title: 'Records in memory' },
  { storage: 'device', title: 'Records on a device' },
] as const
const threads = [
  { threads: 4, colour: 'accent' },
  { threads: 128, colour: 'warn' },
] as const
const looks = [
  { index: 'on', look: 'solid' },
  { index: 'off', look: 'dashed' },
] as const

/** Elapsed time by set size, one chart per storage engine. */
export function SetIndexCharts({ report: { rows } }: DrawingProps) {
  return storages.map(({ storage, title }) => <Chart key={storage} {...{ storage, title, rows }} />)
}

function Chart({ storage, title, rows }: { storage: string; title: string; rows: LabReport['rows'] }) {
  const series = useMemo(
    () =>
      threads.flatMap((those) =>
        looks.map(({ index, look }): Series => {
          const wanted = { storage, threads: those.threads, index, plan: 'auto' }
          return {
            name: `${those.threads} threads, index ${index}`,
            colour: those.colour,
            look,
            points: pointsOf(rows, wanted),
          }
        }),
      ),
    [storage, rows],
  )
  return <LogChart title={title} aside="elapsed against set size" x={size} y={elapsed} series={series} />
}

function pointsOf(rows: LabReport['rows'], wanted: LabReport['rows'][number]): Series['points'] {
  const keys = Object.keys(wanted)
  return rows
    .filter((row) => keys.every((key) => row[key] === wanted[key]))
    .map((row) => ({ x: Number(row['records']), y: Number(row['elapsedMs']) }))
    .toSorted((a, b) => a.x - b.x)
}
