import { useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import { type Measured, speedUpRows } from './speed-up'
import { speedUpSpec } from './speed-up-spec'

const HEIGHT = 220

/** Speed-up by threads, beside the ideal. Nothing before anything is measured. */
export function SpeedUpChart({ measured }: { measured: readonly Measured[] }) {
  const spec = useMemo(() => speedUpSpec(speedUpRows(measured)), [measured])
  if (measured.length === 0) return null
  return <ChartCard title="Speed-up by threads" aside="against one thread, medians" spec={spec} height={HEIGHT} />
}
