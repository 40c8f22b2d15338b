import { memo, useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import { SpeedUpCard } from './SpeedUpCard'
import { type Measured, speedUpRows } from './speed-up'
import { speedUpSpec } from './speed-up-spec'
import { useSpeedUp } from './use-speed-up'
import { t } from '../../language/text'

const HEIGHT = 220

interface Props {
  /** whether the form has a scan to run */
  valid: boolean
  cpus: number
  /** the request of the form's scan with so many threads */
  bodyOf: (threads: number) => string
}

/** The measurement of the speed-up. What it measures renders only this. */
export function SpeedUpCards({ valid, cpus, bodyOf }: Props) {
  const { state, start, stop } = useSpeedUp()
  return (
    <>
      <SpeedUpCard state={state} valid={valid} cpus={cpus} onStart={() => void start(bodyOf)} onStop={stop} />
      <SpeedUpChart measured={state.measured} />
    </>
  )
}

/** Speed-up by threads, beside the ideal. Nothing before anything is measured. */
const SpeedUpChart = memo(function SpeedUpChart({ measured }: { measured: readonly Measured[] }) {
  const spec = useMemo(() => speedUpSpec(speedUpRows(measured)), [measured])
  if (measured.length === 0) return null
  return (
    <ChartCard title={t('Speed-up by threads')} aside={t('against one thread, medians')} spec={spec} height={HEIGHT} />
  )
})
