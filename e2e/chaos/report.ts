// What happened: counted, told as it happens, and what went wrong.
import { appendFileSync } from 'node:fs'

/** Faults that are kept as text; more are only counted. */
const KEPT = 50

export class Report {
  readonly counts = new Map<string, number>()
  readonly faults: string[] = []
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0
  }

  fault(line: string): void {
    this.count('faults found')
    if (this.faults.length < KEPT) this.faults.push(line)
    this.tell(`FAULT ${line}`)
  }

  tell(line: string): void {
    appendFileSync(this.#file, `${new Date().toISOString()} ${line}\n`)
  }

  /** All counts whose name begins so. */
  telling(begins = ''): string {
    return Array.from(this.counts)
      .filter(([name]) => name.startsWith(begins))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, times]) => `${name}: ${times}`)
      .join(', ')
  }
}
