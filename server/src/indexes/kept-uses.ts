// How often queries have used each index, over restarts: `indexes/uses.json` in the data directory. The engine counts since it
// was opened; this adds what was counted before.
import type { Engine } from '../engines/engine.js'
import { CheckedFile } from '../files/checked-file.js'
import type { Index } from '../schemas/namespaces/indexes.js'

/** Uses of one index until the last write of the file. */
interface Before {
  /** An index that was made anew under the same name has another time. */
  createdAt: string
  uses: number
  lastUsedAt?: string
  usesSince: string
}

type Kept = Record<string, Before>

export const WRITE_MS = 60_000

const nameOf = ({ namespace, name }: Pick<Index, 'namespace' | 'name'>): string => `${namespace}/${name}`

export class KeptIndexUses {
  readonly #file: CheckedFile<Kept>
  readonly #warn: (error: unknown, message: string) => void
  #before = new Map<string, Before>()
  /** Uses that the engine had counted by then, and that are in `#before`. */
  readonly #counted = new Map<string, number>()
  #written = ''
  #timer: NodeJS.Timeout | undefined

  constructor(dataDirectory: string, warn: (error: unknown, message: string) => void) {
    this.#file = new CheckedFile(dataDirectory, 'indexes', 'uses.json')
    this.#warn = warn
  }

  /** Returns what is damaged. Then uses are counted from this start on. */
  async start(engine: Engine): Promise<string[]> {
    const found = await this.#file.load(isKept)
    if (found !== undefined && 'body' in found) {
      this.#before = new Map(Object.entries(found.body))
      this.#written = JSON.stringify(found.body)
    }
    this.#timer = setInterval(() => void this.write(engine), WRITE_MS).unref()
    return found !== undefined && 'damage' in found ? [found.damage] : []
  }

  /** The index as the engine has it, with the uses of earlier runs. */
  of(index: Index): Index {
    const name = nameOf(index)
    const before = this.#before.get(name)
    if (before === undefined || before.createdAt !== index.createdAt) return index
    const lastUsedAt = index.lastUsedAt ?? before.lastUsedAt
    // A namespace that was opened again counts from 0.
    const counted = this.#counted.get(name) ?? 0
    return {
      ...index,
      uses: before.uses + (index.uses < counted ? index.uses : index.uses - counted),
      usesSince: before.usesSince,
      ...(lastUsedAt !== undefined && { lastUsedAt }),
    }
  }

  /** Writes the uses of all indexes, if they have changed. A kill of the process loses those since. */
  async write(engine: Engine): Promise<void> {
    try {
      const { kept, counted } = await this.#all(engine)
      const text = JSON.stringify(kept)
      if (text === this.#written) return
      await this.#file.save(kept)
      this.#written = text
      this.#before = new Map(Object.entries(kept))
      this.#counted.clear()
      for (const [name, uses] of counted) this.#counted.set(name, uses)
    } catch (error) {
      this.#warn(error, 'the uses of indexes are not written; the next minute tries again')
    }
  }

  async close(engine: Engine): Promise<void> {
    clearInterval(this.#timer)
    await this.write(engine)
  }

  async #all(engine: Engine): Promise<{ kept: Kept; counted: Map<string, number> }> {
    const kept = new Map<string, Before>()
    const counted = new Map<string, number>()
    for (const namespace of engine.namespaceNames()) {
      const indexes = await engine.indexes(namespace).catch(() => undefined)
      // What a namespace had that is not open now stays.
      if (indexes === undefined) this.#ofNamespace(namespace).forEach(([name, before]) => kept.set(name, before))
      for (const index of indexes ?? []) {
        counted.set(nameOf(index), index.uses)
        const { createdAt, uses, lastUsedAt, usesSince } = this.of(index)
        kept.set(nameOf(index), { createdAt, uses, usesSince, ...(lastUsedAt !== undefined && { lastUsedAt }) })
      }
    }
    return { kept: Object.fromEntries(kept), counted }
  }

  #ofNamespace(namespace: string): [string, Before][] {
    return [...this.#before].filter(([name]) => name.startsWith(`${namespace}/`))
  }
}

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

function isKept(body: unknown): body is Kept {
  if (typeof body !== 'object' || body === null) return false
  return Object.values(body).every((entry: Partial<Before> | null) => {
    if (typeof entry !== 'object' || entry === null) return false
    const { createdAt, uses, lastUsedAt, usesSince } = entry
    const counts = typeof uses === 'number' && Number.isSafeInteger(uses) && uses >= 0
    return counts && isTime(createdAt) && isTime(usesSince) && (lastUsedAt === undefined || isTime(lastUsedAt))
  })
}
