// What waits for a collector of log records. It is bounded, and nobody waits for it: lines beyond are dropped and counted.

/** Most lines of each kind that wait, and characters of them. */
const WAITING_MAX = 8192
const LENGTH_MAX = 8 * 1024 * 1024
const BATCH_MAX = 512
const BATCH_LENGTH_MAX = 1024 * 1024
/** A batch is sent so long after its first line, or when it is full. */
const DELAY_MS = 1000
/** A collector that did not take a batch gets it again after this time. */
const AGAIN_MS = 5000

export type Kind = 'log' | 'audit'
export type Batch = readonly { kind: Kind; text: string }[]
/** Resolves when the collector has the batch. */
export type Send = (batch: Batch) => Promise<void>

/** The collector will never take this batch. */
export class Refused extends Error {}

export interface SenderOptions {
  /** Called once, before the first batch. */
  open: () => Promise<Send>
  /** Hears when the collector begins to take nothing, and with undefined when it takes lines again. */
  report: (failure: Error | undefined) => void
}

/** Lines that wait, the oldest first. */
class Waiting {
  readonly texts: string[] = []
  #length = 0

  /** False: there is no room. */
  add(text: string): boolean {
    if (this.texts.length >= WAITING_MAX || this.#length + text.length > LENGTH_MAX) return false
    this.texts.push(text)
    this.#length += text.length
    return true
  }

  remove(count: number): void {
    for (const text of this.texts.splice(0, count)) this.#length -= text.length
  }
}

export class LogSender {
  readonly #options: SenderOptions
  /** Each has room of its own: lines of requests cannot push entries of the audit log out. */
  readonly #waiting: Readonly<Record<Kind, Waiting>> = { audit: new Waiting(), log: new Waiting() }
  #send: Promise<Send> | undefined
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #isAway = false
  #isClosed = false
  #sent = 0
  #dropped = 0

  constructor(options: SenderOptions) {
    this.#options = options
  }

  add(kind: Kind, text: string): void {
    if (this.#isClosed || !this.#waiting[kind].add(text)) {
      this.#dropped += 1
      return
    }
    if (this.#working === undefined) this.#plan(!this.#isAway && this.#waiting[kind].texts.length >= BATCH_MAX)
  }

  figures(): { sent: number; dropped: number; waiting: number } {
    const { audit, log } = this.#waiting
    return { sent: this.#sent, dropped: this.#dropped, waiting: audit.texts.length + log.texts.length }
  }

  /** Sends what waits, for this time at most. The rest is dropped. */
  async close(patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const isOver = new Promise<void>((end) => (timer = setTimeout(end, patienceMs)))
    await Promise.race([this.#rest(), isOver])
    clearTimeout(timer)
    clearTimeout(this.#timer)
    this.#isClosed = true
    this.#dropped += this.figures().waiting
  }

  async #rest(): Promise<void> {
    await this.#working
    this.#begin()
    await this.#working
  }

  #plan(isFull: boolean): void {
    if (isFull) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), DELAY_MS).unref()
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // A line may have come as the last batch went.
      if (this.figures().waiting > 0 && !this.#isClosed) this.#plan(false)
    })
  }

  /** Sends batches until nothing waits, or one is not taken. */
  async #work(): Promise<void> {
    for (let batch = this.#next(); batch.length > 0 && !this.#isClosed; batch = this.#next()) {
      try {
        const send = await (this.#send ??= this.#options.open())
        await send(batch)
        this.#sent += batch.length
        this.#away(undefined)
      } catch (error) {
        this.#away(error as Error)
        if (!(error instanceof Refused)) {
          // It is the first one of the next try.
          this.#timer = setTimeout(() => this.#begin(), AGAIN_MS).unref()
          return
        }
        this.#dropped += batch.length
      }
      for (const kind of ['audit', 'log'] as const)
        this.#waiting[kind].remove(batch.filter((one) => one.kind === kind).length)
    }
  }

  /** Entries of the audit log go first. */
  #next(): Batch {
    const batch: { kind: Kind; text: string }[] = []
    let length = 0
    for (const kind of ['audit', 'log'] as const)
      for (const text of this.#waiting[kind].texts) {
        if (batch.length >= BATCH_MAX || (batch.length > 0 && length + text.length > BATCH_LENGTH_MAX)) return batch
        batch.push({ kind, text })
        length += text.length
      }
    return batch
  }

  #away(failure: Error | undefined): void {
    const isAway = failure !== undefined
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    this.#options.report(failure)
  }
}
