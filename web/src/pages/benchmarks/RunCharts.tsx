import { useMemo } from 'react'
import type { WorkloadFrame } from '../../api/types'
import { LineChart, type Line } from '../../charts/LineChart'
import { shortCount } from '../../format'
import { ms } from './run-words'

const seconds = (at: number): string => `${Math.round(at)} s`
const none = Number.NaN

/** Throughput and latency of a run, second by second. */
export function RunCharts({ frames }: { frames: WorkloadFrame[] }) {
  const x = useMemo(() => frames.map((frame) => frame.atSeconds), [frames])
  const throughput = useMemo<Line[]>(
    () => [
      { name: 'reads', colour: 'accent', values: frames.map(({ read }) => read.tps) },
      { name: 'writes', colour: 'warn', values: frames.map(({ write }) => write.tps) },
    ],
    [frames],
  )
  const latencies = useMemo<Line[]>(
    () => [
      { name: 'read p50', colour: 'good', values: frames.map(({ read }) => (read.count > 0 ? read.p50Ms : none)) },
      { name: 'read p99', colour: 'accent', values: frames.map(({ read }) => (read.count > 0 ? read.p99Ms : none)) },
      { name: 'write p99', colour: 'warn', values: frames.map(({ write }) => (write.count > 0 ? write.p99Ms : none)) },
    ],
    [frames],
  )
  return (
    <div className="grid-2">
      <LineChart
        title="Throughput"
        aside="operations per second"
        x={x}
        xText={seconds}
        lines={throughput}
        valueText={shortCount}
      />
      <LineChart title="Latency" aside="per second" x={x} xText={seconds} lines={latencies} valueText={ms} />
    </div>
  )
}
