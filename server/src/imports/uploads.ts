// Uploads of imports: running ones, and ones that broke off and wait for the rest.
import type { Readable } from 'node:stream'
import type { Engine, ImportSession } from '../engines/engine.js'
import { isErrorCode } from '../error-table.js'
import { GatewayError } from '../errors.js'
import type { Gate } from '../overload/gate.js'
import { Chunks } from '../bodies/chunks.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { ImportReport } from '../schemas/load/import.js'
import type { ImportProgress } from '../schemas/load/imports.js'
import { say, type Sentence } from '../sentences/sentence.js'

/** Most waiting uploads. With more, the one that broke off first is aborted. */
export const WAITING_MAX = 16
/** One wait for a job: the longest timer there is, 24 days. */
const WAIT_MS = 2 ** 31 - 1

export interface Upload {
  readonly session: ImportSession
  readonly namespace: string
  readonly set?: string
  readonly totalBytes?: number
  /** A dry run stores nothing and cannot be resumed. */
  readonly dryRun?: boolean
  /** Bytes of the stream, as sent, that the session received. */
  received: number
  /** True while a request sends data or waits for the report. */
  sending: boolean
  /** Unix milliseconds. */
  waitsUntil?: number
  patience?: NodeJS.Timeout
  /** Why the import has ended. */
  ended?: { reason: unknown }
  /** Stops the wait for the next piece of the body. */
  stop?: (reason: unknown) => void
}

type About = Pick<Upload, 'namespace' | 'set' | 'totalBytes' | 'dryRun'>

interface Patience {
  /** How long an upload that broke off waits, ms. */
  importPatienceMs: number
  /** How long an upload may send nothing before it counts as broken off, ms. */
  bodyTimeoutMs: number
}

export class Uploads {
  readonly #engine: () => Engine
  readonly #config: Patience
  readonly #gate: Pick<Gate, 'giveWay'>
  readonly #uploads = new Map<string, Upload>()
  /** Uploads interrupted by a stop of the server that the engine is preparing to resume. */
  readonly #resuming = new Set<string>()

  constructor(engine: () => Engine, config: Patience, gate: Pick<Gate, 'giveWay'>) {
    this.#engine = engine
    this.#config = config
    this.#gate = gate
  }

  add(session: ImportSession, about: About): Upload {
    const upload: Upload = { session, ...about, received: 0, sending: false }
    this.#uploads.set(session.jobId, upload)
    this.#watch(upload)
    return upload
  }

  /** @throws `import_not_found`, `job_finished` */
  async progress(jobId: string): Promise<ImportProgress> {
    const upload = this.#uploads.get(jobId)
    if (upload === undefined) {
      const { storedRows, ...about } = await this.#engine().interruptedImport(jobId)
      return { jobId, ...about, state: 'interrupted', receivedBytes: 0, storedRows }
    }
    const { namespace, set, totalBytes } = upload
    return {
      jobId,
      namespace,
      ...(set !== undefined && { set }),
      ...(totalBytes !== undefined && { totalBytes }),
      state: upload.waitsUntil === undefined ? 'uploading' : 'waiting',
      receivedBytes: upload.received,
      storedRows: upload.session.storedRows(),
      ...(upload.waitsUntil !== undefined && { waitsUntil: new Date(upload.waitsUntil).toISOString() }),
    }
  }

  /**
   * Resumes an upload at `offset`; its rest has `length` bytes, if that is known. An upload that a stop of the server
   * interrupted starts again from byte 0.
   *
   * @throws `import_not_found`, `job_finished`, `import_busy`, `import_offset`, and as a new import
   */
  async goOn(jobId: string, offset: number, length = 0): Promise<Upload> {
    const upload = this.#uploads.get(jobId)
    if (upload?.sending === true || this.#resuming.has(jobId))
      throw new GatewayError(
        'import_busy',
        say('another request is sending import {id}; wait for it to end', { id: jobId }),
      )
    if (upload !== undefined) {
      checkOffset(jobId, offset, upload.received)
      checkLength(upload.totalBytes, offset + length)
      return upload
    }
    this.#resuming.add(jobId)
    try {
      const { storedRows: _, ...about } = await this.#engine().interruptedImport(jobId)
      checkOffset(jobId, offset, 0)
      checkLength(about.totalBytes, length)
      return this.add(await this.#engine().resumeImport(jobId), about)
    } finally {
      this.#resuming.delete(jobId)
    }
  }

  /**
   * Receives the body and returns the report. If the body breaks off, the upload waits for the rest; a dry run ends.
   *
   * @throws `body_truncated`, `body_timeout`, `import_offset` of a body that is too long, and what ended the import
   */
  async receive(upload: Upload, body: Readable): Promise<Omit<ImportReport, 'jobId'>> {
    upload.sending = true
    this.#stopWaiting(upload)
    const chunks = new Chunks(body, this.#config.bodyTimeoutMs)
    upload.stop = (reason) => chunks.stop(reason)
    if (upload.ended !== undefined) chunks.stop(upload.ended.reason)
    try {
      await this.#read(upload, chunks)
      return await upload.session.finish()
    } catch (error) {
      if (!(error instanceof BrokenOff) || upload.dryRun === true) {
        upload.session.abort()
        throw upload.ended?.reason ?? (error instanceof BrokenOff ? error.failure : error)
      }
      upload.sending = false
      this.#wait(upload)
      throw error.failure
    } finally {
      delete upload.stop
      // An upload that does not wait has ended, even if its job has not reported it yet.
      if (upload.waitsUntil === undefined) this.#forget(upload)
    }
  }

  /** @throws `import_not_found`, `job_finished`, `import_busy`, `data_directory_unavailable` if it is paused */
  async end(jobId: string): Promise<Job> {
    const engine = this.#engine()
    // Another request is about to resume it.
    if (this.#resuming.has(jobId))
      throw new GatewayError(
        'import_busy',
        say('another request is sending import {id}; wait for it to end', { id: jobId }),
      )
    const upload = this.#uploads.get(jobId)
    if (upload === undefined) {
      this.#resuming.add(jobId)
      try {
        await engine.forgetImport(jobId)
      } finally {
        this.#resuming.delete(jobId)
      }
      return engine.job(jobId)
    }
    // Its journal would bring it back after a restart. If that cannot go, the upload waits on.
    if (upload.waitsUntil !== undefined) await engine.forgetImport(jobId, true)
    upload.session.abort()
    return endOf(engine, jobId)
  }

  /** For the close of the server: imports stop, and can be resumed after the start if their stored rows survive. */
  close(): void {
    for (const upload of this.#uploads.values()) {
      this.#stopWaiting(upload)
      upload.session.interrupt()
    }
  }

  async #read(upload: Upload, chunks: Chunks): Promise<void> {
    for (;;) {
      const chunk = await this.#next(upload, chunks)
      if (chunk === null) break
      try {
        checkLength(upload.totalBytes, upload.received + chunk.length)
      } catch (error) {
        throw new BrokenOff(error as GatewayError)
      }
      upload.received += chunk.length
      await upload.session.write(chunk, true)
      await this.#gate.giveWay()
    }
    const { received, totalBytes = 0 } = upload
    if (received < totalBytes) {
      throw new BrokenOff(
        new GatewayError(
          'body_truncated',
          withRest(upload, say('{received} of {totalBytes} bytes arrived', { received, totalBytes })),
        ),
      )
    }
  }

  async #next(upload: Upload, chunks: Chunks): Promise<Buffer | null> {
    try {
      return await chunks.next()
    } catch (error) {
      if (upload.ended !== undefined) throw upload.ended.reason
      throw new BrokenOff(
        error instanceof GatewayError
          ? new GatewayError(error.code, withRest(upload, error.said ?? { message: error.message }))
          : new GatewayError('body_truncated', withRest(upload, say('the upload broke off'))),
      )
    }
  }

  #wait(upload: Upload): void {
    if (upload.ended !== undefined) return
    const { importPatienceMs } = this.#config
    upload.session.hold()
    upload.waitsUntil = Date.now() + importPatienceMs
    upload.patience = setTimeout(() => upload.session.abort(), importPatienceMs).unref()
    // Ordered by when they broke off: an upload that was resumed and broke off again moves to the end.
    this.#uploads.delete(upload.session.jobId)
    this.#uploads.set(upload.session.jobId, upload)
    const waiting = [...this.#uploads.values()].filter(({ waitsUntil }) => waitsUntil !== undefined)
    for (const { session } of waiting.slice(0, Math.max(0, waiting.length - WAITING_MAX))) session.abort()
  }

  #stopWaiting(upload: Upload): void {
    clearTimeout(upload.patience)
    delete upload.patience
    if (upload.waitsUntil === undefined) return
    delete upload.waitsUntil
    upload.session.release()
  }

  /** Forgets the upload when its import has ended, for whatever reason. */
  #watch(upload: Upload): void {
    const settle = (reason: unknown) => {
      upload.ended = { reason }
      upload.stop?.(reason)
      this.#forget(upload)
    }
    endOf(this.#engine(), upload.session.jobId).then((job) => settle(failureOf(job)), settle)
  }

  #forget(upload: Upload): void {
    clearTimeout(upload.patience)
    const { session } = upload
    if (this.#uploads.get(session.jobId) === upload) this.#uploads.delete(session.jobId)
    // The session holds its namespace until it is aborted.
    if (!upload.sending) session.abort()
  }
}

const withRest = ({ dryRun }: Upload, why: Sentence): Sentence =>
  dryRun === true
    ? why
    : say('{why}; stored rows stay; send the rest with {request}', { why, request: 'PUT /api/v1/imports/{jobId}' })

/** The body ended before it was whole. */
class BrokenOff extends Error {
  readonly failure: GatewayError

  constructor(failure: GatewayError) {
    super(failure.message)
    this.failure = failure
  }
}

function checkOffset(jobId: string, offset: number, received: number): void {
  if (offset === received) return
  throw new GatewayError(
    'import_offset',
    say('import {id} continues at byte {received}, got offset {offset}', { id: jobId, received, offset }),
    {
      field: 'offset',
    },
  )
}

/** Refuses bytes beyond the announced length. */
function checkLength(totalBytes: number | undefined, end: number): void {
  if (totalBytes === undefined || end <= totalBytes) return
  throw new GatewayError(
    'import_offset',
    say('the upload announced {totalBytes} bytes, got at least {end}', { totalBytes, end }),
    {
      field: 'content-length',
    },
  )
}

async function endOf(engine: Engine, jobId: string): Promise<Job> {
  for (;;) {
    // The engine may answer before the job has ended.
    const job = await engine.waitJob(jobId, WAIT_MS)
    if (job.endedAt !== undefined) return job
  }
}

/** Why a job ended before its upload. */
function failureOf({ error }: Job): GatewayError {
  if (error !== undefined && isErrorCode(error.code)) return new GatewayError(error.code, error.said ?? error.message)
  return new GatewayError('aborted', say('the import was aborted; stored rows stay'))
}
