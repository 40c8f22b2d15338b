import { useMemo } from 'react'
import type { WorkloadFrame } from '../../api/types'
import { ChartCard } from '../../charts/card/ChartCard'
import { ChartGroup } from '../../charts/card/ChartGroup'
import type { ChartSpec, Series, XAxis } from '../../charts/spec/spec'

const NS_PER_MS = 1e6

/** Throughput and latency of a run, second by second. */
export function RunCharts({ frames }: { frames: WorkloadFrame[] }) {
  const { throughput, latency } = useMemo(() => specsOf(frames), [frames])
  return (
    <ChartGroup>
      <div className="grid-2">
        <ChartCard title="Throughput" aside="operations per second" spec={throughput} />
        <ChartCard title="Latency" aside="per second" spec={latency} />
      </div>
    </ChartGroup>
  )
}

function specsOf(frames: WorkloadFrame[]): { throughput: ChartSpec; latency: ChartSpec } {
  const values = frames.map(({ atSeconds }) => atSeconds)
  const x: XAxis = { name: 'at', scale: 'linear', format: 'seconds', values }
  const series = (name: string, colour: Series['colour'], of: (frame: WorkloadFrame) => number | null): Series => ({
    id: name,
    name,
    colour,
    values: frames.map(of),
  })
  const ns = ({ count }: { count: number }, ms: number): number | null => (count > 0 ? ms * NS_PER_MS : null)
  return {
    throughput: {
      x,
      y: { scale: 'linear', format: 'short' },
      series: [series('reads', 1, ({ read }) => read.tps), series('writes', 2, ({ write }) => write.tps)],
    },
    latency: {
      x,
      y: { scale: 'linear', format: 'latency' },
      series: [
        series('read p50', 3, ({ read }) => ns(read, read.p50Ms)),
        series('read p99', 1, ({ read }) => ns(read, read.p99Ms)),
        series('write p99', 2, ({ write }) => ns(write, write.p99Ms)),
      ],
    },
  }
}
