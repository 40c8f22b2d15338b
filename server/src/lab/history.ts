// `lab/<id>.json` in the data directory: a file for each run that has ended.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LabRun } from '../schemas/lab.js'

/** Most runs that are kept. */
const KEPT = 50
const FILE = /^[0-9a-z]{1,64}\.json$/

export class LabHistory {
  readonly #folder: string

  constructor(dataDirectory: string) {
    this.#folder = join(dataDirectory, 'lab')
  }

  /** Newest first; what cannot be read as a run is left out. */
  load(): LabRun[] {
    return this.#files()
      .flatMap((file) => {
        try {
          const run = JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as LabRun
          return `${run.id}.json` === file ? [run] : []
        } catch {
          return []
        }
      })
      .slice(0, KEPT)
  }

  /** Replaces the file of a run in one step, and removes those of the oldest runs. */
  save(run: LabRun): void {
    mkdirSync(this.#folder, { recursive: true })
    const path = this.#path(run.id)
    writeFileSync(`${path}.new`, JSON.stringify(run))
    renameSync(`${path}.new`, path)
    for (const file of this.#files().slice(KEPT)) rmSync(join(this.#folder, file), { force: true })
  }

  remove(id: string): void {
    rmSync(this.#path(id), { force: true })
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  /** Ids begin with the time, so that names sort by it; newest first. */
  #files(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((file) => FILE.test(file))
        .sort()
        .reverse()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}
