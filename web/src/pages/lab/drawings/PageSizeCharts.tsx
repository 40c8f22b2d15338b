import { useMemo } from 'react'
import { LineChart, type Line } from '../../../charts/LineChart'
import { latency, rate } from '../../../format'
import type { DrawingProps } from './drawing-props'

type Row = DrawingProps['report']['rows'][number]

const NS_A_US = 1000
const KIB = 1024
const phases = ['load', '50/50', '95/5', 'read only']
const places = phases.map((_, place) => place)
const phaseText = (place: number): string => phases[place] ?? ''
const timesText = (times: number): string => `${Number(times.toFixed(2))}×`
const microsText = (us: number): string => latency(us * NS_A_US)

const sizes = [
  { kib: 16, colour: 'accent' },
  { kib: 64, colour: 'warn' },
] as const

/** Throughput of each phase by page size, the gain of small pages, and the slow operations. */
export function PageSizeCharts({ experiment, report }: DrawingProps) {
  const { rates, gains, tails } = useMemo(() => linesOf(experiment.published.rows, report.rows), [experiment, report])
  const shared = { x: places, xText: phaseText }
  return (
    <>
      <LineChart {...shared} title="Throughput by phase" aside="operations per second" lines={rates} valueText={rate} />
      <LineChart
        {...shared}
        title="Gain of small pages"
        aside="16 KiB against 64 KiB"
        lines={gains}
        valueText={timesText}
      />
      <LineChart
        {...shared}
        title="Slow operations"
        aside="p99 of the phase's first kind"
        lines={tails}
        valueText={microsText}
      />
    </>
  )
}

function linesOf(published: readonly Row[], rows: readonly Row[]): Record<'rates' | 'gains' | 'tails', Line[]> {
  const values = (kib: number, field: string): number[] =>
    phases.map((phase) => {
      const row = rows.find((one) => one['pageBytes'] === kib * KIB && one['phase'] === phase)
      return Number(row?.[field] ?? Number.NaN)
    })
  const each = (field: string): Line[] =>
    sizes.map(({ kib, colour }) => ({ name: `${kib} KiB`, colour, values: values(kib, field) }))
  const [small, large] = [values(16, 'throughput'), values(64, 'throughput')]
  const said = phases.map((phase) => Number(published.find((row) => row['phase'] === phase)?.['gain'] ?? Number.NaN))
  return {
    rates: each('throughput'),
    gains: [
      { name: 'published', colour: 'warn', values: said },
      { name: 'here', colour: 'accent', values: small.map((rate, place) => rate / (large[place] ?? Number.NaN)) },
    ],
    tails: each('p99Us'),
  }
}
