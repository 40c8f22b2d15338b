import { useCallback, useEffect, useRef, useState } from 'react'
import { giveUpImport } from '../../../api/actions'
import type { ImportProgress, ImportReport, Job } from '../../../api/types'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { useLiveJobs } from '../../../live/use-connection'
import { upload, type Upload } from './upload'
import { type End, endOf } from './waiting'

export interface UploadState {
  phase: 'idle' | 'running' | 'done' | End
  /** target set; '': no set */
  ns: string
  set: string
  dryRun: boolean
  sent: number
  total: number
  report: ImportReport | undefined
  error: unknown
}

const idle: UploadState = {
  phase: 'idle',
  ns: '',
  set: '',
  dryRun: false,
  sent: 0,
  total: 0,
  report: undefined,
  error: undefined,
}

interface Start {
  ns: string
  set: string
  path: string
  /** the file, or the part of it that a dry run sends */
  body: Blob
  /** its name */
  file: string
  headers: Record<string, string>
  dryRun: boolean
}

/** The rest of a file whose upload broke off. */
export interface Rest {
  progress: ImportProgress
  file: File
}

export interface UploadControls {
  state: UploadState
  /** the import in the engine, known a moment after it began */
  jobId: string | undefined
  /** the job while it runs */
  job: Job | undefined
  start: (params: Start) => void
  goOn: (rest: Rest) => void
  /** Pauses the upload; the rest can be sent later. */
  pause: () => void
  /** Aborts the upload. */
  abort: () => void
}

/** One upload at a time, with its job while it runs. */
export function useUpload(): UploadControls {
  const [state, setState] = useState(idle)
  /** tag that identifies the job of this upload */
  const [tag, setTag] = useState<string>()
  const [jobId, setJobId] = useState<string>()
  const running = useRef<Upload | undefined>(undefined)
  const refresh = useRefreshNamespaces()
  const jobs = useLiveJobs()
  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])

  const job =
    state.phase === 'running'
      ? jobs?.find((one) => (jobId === undefined ? one.tag !== undefined && one.tag === tag : one.id === jobId))
      : undefined
  if (job !== undefined && job.id !== jobId) setJobId(job.id)

  const follow = (own: Upload, base: UploadState): void => {
    running.current = own
    setState(base)
    const settle = (part: Partial<UploadState>): void => {
      if (running.current !== own) return
      running.current = undefined
      setState((old) => ({ ...old, ...part }))
      refresh()
    }
    own.done.then(
      (report) => settle({ phase: 'done', report, sent: base.total }),
      (error: unknown) => {
        const phase = endOf(error, base.dryRun)
        settle({ phase, ...(phase === 'failed' && { error }) })
      },
    )
  }
  const note = (sent: number): void => setState((old) => ({ ...old, sent }))

  const start = ({ ns, set, path, body, file, headers, dryRun }: Start): void => {
    stop()
    const own = freshTag()
    setTag(own)
    setJobId(undefined)
    const base: UploadState = { ...idle, phase: 'running', ns, set, dryRun, total: body.size }
    follow(upload('POST', `${path}&tag=${own}`, { body, file, headers }, note), base)
  }
  const goOn = ({ progress, file }: Rest): void => {
    const { jobId: id, namespace: ns, set = '', receivedBytes: from } = progress
    stop()
    setJobId(id)
    const path = `/api/v1/imports/${encodeURIComponent(id)}?offset=${from}`
    const headers = { 'Content-Type': 'application/octet-stream' }
    const own = upload('PUT', path, { body: file.slice(from), file: file.name, headers }, (sent) => note(from + sent))
    follow(own, { ...idle, phase: 'running', ns, set, sent: from, total: file.size })
  }
  const abort = (): void => {
    setState((old) => ({ ...old, phase: 'stopped' }))
    const id = state.dryRun ? undefined : jobId
    running.current?.abort()
    running.current = undefined
    // It has already ended by itself, which is fine.
    if (id !== undefined)
      void giveUpImport(id)
        .catch(() => undefined)
        .finally(refresh)
  }
  return { state, jobId, job, start, goOn, pause: stop, abort }
}

/** A tag only for this upload, because another window may start one at the same moment. */
const freshTag = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
