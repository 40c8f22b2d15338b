import { useEffect, useState, useSyncExternalStore } from 'react'
import { abortJob, startJob, waitJob } from '../../api/actions'
import { SpeedUp, type SpeedUpState } from './speed-up'

/** The speed-up measurement of this page. Leaving the page stops it and aborts its job. */
export function useSpeedUp(): { state: SpeedUpState; start: SpeedUp['start']; stop: () => void } {
  const [run] = useState(() => new SpeedUp({ start: startJob, wait: waitJob, abort: abortJob }))
  useEffect(() => run.stop, [run])
  return { state: useSyncExternalStore(run.subscribe, run.state), start: run.start, stop: run.stop }
}
