import { useMemo } from 'react'
import { LogChart } from '../../../charts/log/LogChart'
import type { LogAxis, Series } from '../../../charts/log/series'
import { count, latency, latencyEdge } from '../../../format'
import type { DrawingProps } from './drawing-props'

const NS_A_MS = 1e6
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })
const rowsAxis: LogAxis = { name: 'rows', text: count, tick: (value) => compact.format(value) }
const elapsed: LogAxis = {
  name: 'build',
  text: (ms) => latency(ms * NS_A_MS),
  tick: (ms) => latencyEdge(Math.round(ms * NS_A_MS)),
}
const here = ['accent', 'good'] as const

/** Duration of a build by rows: with one thread and the most threads here, and as published. */
export function ParallelIndexChart({ experiment, report }: DrawingProps) {
  const series = useMemo(() => {
    const builds = report.rows.filter(({ kind }) => kind === 'build')
    const threads = [...new Set(builds.map((row) => Number(row['threads'])))].toSorted((a, b) => a - b)
    const shown = [...new Set([threads.at(0), threads.at(-1)])].filter((one) => one !== undefined)
    const published = experiment.published.rows.filter(({ what }) => what === 'index build')
    return [
      ...shown.map((those, at): Series => {
        const own = builds.filter((row) => row['threads'] === those)
        return {
          name: `${those} thread${those === 1 ? '' : 's'}`,
          colour: here[at] ?? 'accent',
          look: 'solid',
          points: own.map((row) => ({ x: Number(row['rows']), y: Number(row['elapsedMs']) })),
        }
      }),
      {
        name: 'published, distributed',
        colour: 'warn',
        look: 'dashed',
        points: published.map((row) => ({ x: Number(row['rows']), y: Number(row['distributedMs']) })),
      } satisfies Series,
    ]
  }, [experiment, report])
  return <LogChart title="Building the index" aside="elapsed against rows" x={rowsAxis} y={elapsed} series={series} />
}
