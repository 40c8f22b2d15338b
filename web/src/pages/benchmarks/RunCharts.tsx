import { useMemo } from 'react'
import type { WorkloadFrame } from '../../api/types'
import { ChartCard } from '../../charts/card/ChartCard'
import { ChartGroup } from '../../charts/card/ChartGroup'
import type { FormatName } from '../../charts/spec/formats'
import type { ChartSpec, Series } from '../../charts/spec/spec'
import { type RunSeconds, secondsSource } from './run-seconds'
import { t } from '../../language/text'

const NS_PER_MS = 1e6

/** Throughput and latency of a run, second by second. */
export function RunCharts({ seconds }: { seconds: RunSeconds }) {
  const [throughput, latency] = useMemo(
    () => [secondsSource(seconds, throughputOf), secondsSource(seconds, latencyOf)] as const,
    [seconds],
  )
  return (
    <ChartGroup>
      <div className="grid-2">
        <ChartCard title={t('Throughput')} aside={t('operations per second')} spec={throughput} />
        <ChartCard title={t('Latency')} aside={t('per second')} spec={latency} />
      </div>
    </ChartGroup>
  )
}

type Frames = readonly WorkloadFrame[]
type Origin = number | undefined
type Line = readonly [name: string, colour: Series['colour'], of: (frame: WorkloadFrame) => number | null]

const ns = ({ count }: { count: number }, ms: number): number | null => (count > 0 ? ms * NS_PER_MS : null)

const throughputOf = (frames: Frames, originMs: Origin): ChartSpec =>
  specOf(frames, originMs, 'short', [
    [t('reads'), 1, ({ read }) => read.tps],
    [t('writes'), 2, ({ write }) => write.tps],
  ])

const latencyOf = (frames: Frames, originMs: Origin): ChartSpec =>
  specOf(frames, originMs, 'latency', [
    [t('read p50'), 3, ({ read }) => ns(read, read.p50Ms)],
    [t('read p99'), 1, ({ read }) => ns(read, read.p99Ms)],
    [t('write p99'), 2, ({ write }) => ns(write, write.p99Ms)],
  ])

function specOf(frames: Frames, originMs: Origin, format: FormatName, lines: readonly Line[]): ChartSpec {
  return {
    x: {
      name: 'at',
      scale: 'linear',
      format: 'seconds',
      values: frames.map(({ atSeconds }) => atSeconds),
      originMs,
    },
    y: { scale: 'linear', format },
    series: lines.map(([name, colour, of]) => ({ id: name, name, colour, values: frames.map(of) })),
  }
}
