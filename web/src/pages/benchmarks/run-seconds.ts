import { QueryObserver, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { workloadQuery } from '../../api/queries'
import type { WorkloadFrame, WorkloadRun } from '../../api/types'
import type { ChartSource } from '../../charts/card/source'
import type { ChartSpec } from '../../charts/spec/spec'
import { RunOrigin } from './run-origin'

/** A run as it was read last, with its seconds. The page reads it; this tells of it, and nothing renders. */
export interface RunSeconds {
  read: () => WorkloadRun | undefined
  subscribe: (listener: () => void) => () => void
}

export function useRunSeconds(id: string): RunSeconds {
  const queries = useQueryClient()
  return useMemo(() => {
    const query = workloadQuery(id)
    const observer = new QueryObserver(queries, { ...query, enabled: false })
    return {
      read: () => queries.getQueryData(query.queryKey),
      subscribe: (listener) => observer.subscribe(listener),
    }
  }, [queries, id])
}

const NONE: WorkloadFrame[] = []

/** A chart of the seconds, made once for each read that has others. */
export function secondsSource(
  { read, subscribe }: RunSeconds,
  specOf: (frames: readonly WorkloadFrame[], originMs: number | undefined) => ChartSpec,
): ChartSource {
  const origin = new RunOrigin()
  let made: WorkloadFrame[] | undefined
  let spec: ChartSpec | undefined
  return {
    subscribe,
    read: () => {
      const run = read()
      const frames = run?.frames ?? NONE
      if (spec === undefined || made !== frames) {
        made = frames
        spec = specOf(frames, run && origin.of(run))
      }
      return spec
    },
  }
}
