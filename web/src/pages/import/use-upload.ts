import { useCallback, useEffect, useRef, useState } from 'react'
import type { ImportReport, Job } from '../../api/types'
import { useRefreshNamespaces } from '../../components/use-job'
import { useLiveJobs } from '../../live/use-connection'
import { upload, type Upload } from './upload'

export interface UploadState {
  phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  dryRun: boolean
  sent: number
  total: number
  report: ImportReport | undefined
  error: unknown
}

const idle: UploadState = { phase: 'idle', dryRun: false, sent: 0, total: 0, report: undefined, error: undefined }

interface Start {
  ns: string
  path: string
  /** the file, or the part of it that a dry run sends */
  body: Blob
  /** its name */
  file: string
  headers: Record<string, string>
  dryRun: boolean
}

/** One upload at a time, with the engine's job beside it while it runs. */
export function useUpload(): {
  state: UploadState
  job: Job | undefined
  start: (params: Start) => void
  abort: () => void
} {
  const [state, setState] = useState(idle)
  const [place, setPlace] = useState<{ ns: string; startedAt: number }>()
  const running = useRef<Upload | undefined>(undefined)
  const refresh = useRefreshNamespaces()
  const jobs = useLiveJobs()
  const abort = useCallback(() => running.current?.abort(), [])
  useEffect(() => abort, [abort])

  const start = ({ ns, path, body, file, headers, dryRun }: Start): void => {
    abort()
    const base: UploadState = { ...idle, phase: 'running', dryRun, total: body.size }
    setState(base)
    setPlace({ ns, startedAt: Date.now() })
    const own = upload(path, { body, file, headers }, (sent) => setState((old) => ({ ...old, sent })))
    running.current = own
    const settle = (part: Partial<UploadState>): void => {
      if (running.current !== own) return
      running.current = undefined
      setState((old) => ({ ...old, ...part }))
      refresh()
    }
    own.done.then(
      (report) => settle({ phase: 'done', report, sent: body.size }),
      (error: unknown) => settle(error instanceof DOMException ? { phase: 'stopped' } : { phase: 'failed', error }),
    )
  }

  const job =
    state.phase !== 'running' || place === undefined
      ? undefined
      : jobs?.find(({ kind, namespace }) => kind === 'import' && namespace === place.ns)
  return { state, job, start, abort }
}
