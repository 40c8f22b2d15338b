// Uploads of imports: those under way, and those that broke off and wait for their rest.
import type { Readable } from 'node:stream'
import type { Engine, ImportSession } from '../engines/engine.js'
import { isErrorCode } from '../error-table.js'
import { GatewayError } from '../errors.js'
import type { Gate } from '../overload/gate.js'
import { Chunks } from '../rest/chunks.js'
import type { Job } from '../schemas/jobs.js'
import type { ImportProgress, ImportReport } from '../schemas/load.js'

/** Most uploads that wait; then the one that broke off first is ended. */
export const WAITING_MAX = 16
/** One wait for a job: the longest timer there is, 24 days. */
const WAIT_MS = 2 ** 31 - 1

export interface Upload {
  readonly session: ImportSession
  readonly namespace: string
  readonly set?: string
  readonly totalBytes?: number
  /** It stores nothing: there is nothing to go on with. */
  readonly dryRun?: boolean
  /** Of the stream as it is sent: all that the session was given. */
  received: number
  /** A request is sending, or waits for the report. */
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
  /** How long one may stand still before it has broken off, ms. */
  bodyTimeoutMs: number
}

export class Uploads {
  readonly #engine: () => Engine
  readonly #config: Patience
  readonly #gate: Pick<Gate, 'giveWay'>
  readonly #uploads = new Map<string, Upload>()
  /** Those that a stop cut off, while the engine looks through what there is of them. */
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
   * The upload whose rest begins at `offset` and has `length` bytes, if that is known; one that a stop of the server cut
   * off begins again.
   *
   * @throws `import_not_found`, `job_finished`, `import_busy`, `import_offset`, and as a new import
   */
  async goOn(jobId: string, offset: number, length = 0): Promise<Upload> {
    const upload = this.#uploads.get(jobId)
    if (upload?.sending === true || this.#resuming.has(jobId))
      throw new GatewayError('import_busy', `another request is sending import ${jobId}`)
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
   * Takes the body, and what comes after it is the report. If it breaks off, the upload waits for the rest; a dry run ends.
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
      // One that does not wait has ended, whether its job has said so or not.
      if (upload.waitsUntil === undefined) this.#forget(upload)
    }
  }

  /** @throws `import_not_found`, `job_finished`, `import_busy` */
  async end(jobId: string): Promise<Job> {
    const engine = this.#engine()
    // It is about to go on.
    if (this.#resuming.has(jobId)) throw new GatewayError('import_busy', `another request is sending import ${jobId}`)
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
    upload.session.abort()
    return endOf(engine, jobId)
  }

  /** The server closes: imports stop where they are, and go on after the start where what they stored lasts. */
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
      throw new BrokenOff(new GatewayError('body_truncated', `${received} of ${totalBytes} bytes came${howOn(upload)}`))
    }
  }

  async #next(upload: Upload, chunks: Chunks): Promise<Buffer | null> {
    try {
      return await chunks.next()
    } catch (error) {
      if (upload.ended !== undefined) throw upload.ended.reason
      throw new BrokenOff(
        error instanceof GatewayError
          ? new GatewayError(error.code, `${error.message}${howOn(upload)}`)
          : new GatewayError('body_truncated', `the upload broke off${howOn(upload)}`),
      )
    }
  }

  #wait(upload: Upload): void {
    if (upload.ended !== undefined) return
    const { importPatienceMs } = this.#config
    upload.session.hold()
    upload.waitsUntil = Date.now() + importPatienceMs
    upload.patience = setTimeout(() => upload.session.abort(), importPatienceMs).unref()
    // Those that broke off first come first: going on and breaking off again puts one behind.
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

  /** Lets the upload go when its import has ended, by whatever. */
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
    // It holds its namespace until then.
    if (!upload.sending) session.abort()
  }
}

const howOn = ({ dryRun }: Upload) =>
  dryRun === true ? '' : '; rows that were already stored stay, and the rest is taken by PUT /api/v1/imports/{jobId}'

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
  throw new GatewayError('import_offset', `import ${jobId} goes on at byte ${received}, not ${offset}`, {
    field: 'offset',
  })
}

/** Refuses what is past the length that the upload was announced with. */
function checkLength(totalBytes: number | undefined, end: number): void {
  if (totalBytes === undefined || end <= totalBytes) return
  throw new GatewayError('import_offset', `the upload was announced with ${totalBytes} bytes; this goes on past them`, {
    field: 'content-length',
  })
}

async function endOf(engine: Engine, jobId: string): Promise<Job> {
  for (;;) {
    // The engine may answer before the end.
    const job = await engine.waitJob(jobId, WAIT_MS)
    if (job.endedAt !== undefined) return job
  }
}

/** Why a job that ends before its upload did so. */
function failureOf({ error }: Job): GatewayError {
  if (error !== undefined && isErrorCode(error.code)) return new GatewayError(error.code, error.message)
  return new GatewayError('aborted', 'the import was aborted; rows that were already stored stay')
}
