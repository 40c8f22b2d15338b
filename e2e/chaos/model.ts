// What every key may hold. A value is a number that is never used twice; higher ones were written later.

/** `there` is false if the key was deleted, or never written, by the change with this number. */
export interface Version {
  readonly n: number
  readonly there: boolean
}

export interface Entry {
  /** The last version that the gateway has acknowledged or shown. */
  known: Version
  /** Those that no answer tells about: the key holds one of them, or the known one. */
  open: Version[]
  /** No change until a later process runs, because one without an answer may still come true in this one. */
  heldIn: number | undefined
  /** A change is on its way, so nobody knows yet what the key holds. */
  isChanging: boolean
}

const NEVER: Version = { n: 0, there: false }
let last = 0

export const nextVersion = (there: boolean): Version => {
  last += 1
  return { n: last, there }
}

/**
 * Bins that tell whether they belong together, of 30 to 700 bytes. Those of a namespace on disk grow to eight times that and shrink
 * again, so that their files need more room now and then.
 */
export const binsOf = (n: number, isOnDisk: boolean): Record<string, unknown> => ({
  n,
  square: n * n,
  text: `${n} `.repeat((1 + (n % 97)) * (isOnDisk ? 1 + ((n >> 15) % 8) : 1)),
})

export const areBinsOf = (bins: Record<string, unknown>, isOnDisk: boolean): boolean => {
  const whole = binsOf(Number(bins['n']), isOnDisk)
  return JSON.stringify(bins, Object.keys(bins).toSorted()) === JSON.stringify(whole, ['n', 'square', 'text'])
}

/** The keys of one set of one namespace. */
export class Model {
  readonly entries = new Map<string, Entry>()
  readonly #isOnDisk: boolean

  constructor(isOnDisk: boolean) {
    this.#isOnDisk = isOnDisk
  }

  entry(key: string): Entry {
    let entry = this.entries.get(key)
    if (entry === undefined)
      this.entries.set(key, (entry = { known: NEVER, open: [], heldIn: undefined, isChanging: false }))
    return entry
  }

  /** Nothing is there any more: the process that held them in memory has ended. */
  forget(): void {
    for (const entry of this.entries.values()) {
      entry.known = nextVersion(false)
      entry.open = []
      entry.heldIn = undefined
    }
  }

  /** A fault in words, or undefined. What was read is known from then on. */
  read(key: string, bins: Record<string, unknown> | undefined): string | undefined {
    const entry = this.entry(key)
    const { known, open } = entry
    if (bins !== undefined && !areBinsOf(bins, this.#isOnDisk))
      return `${key} holds parts of several values: ${JSON.stringify(bins)}`
    const found = [known, ...open].find(({ n, there }) => (bins === undefined ? !there : there && n === bins['n']))
    if (found === undefined) {
      return `${key} holds ${bins === undefined ? 'nothing' : `${bins['n']}`}, may hold ${tell(known)}${open.map((one) => ` or ${tell(one)}`).join('')}`
    }
    entry.known = found
    // In the process of an unanswered change nothing is settled: it may still come true.
    if (entry.heldIn === undefined) entry.open = []
    return undefined
  }
}

const tell = ({ n, there }: Version): string => (there ? `${n}` : `nothing (${n})`)
