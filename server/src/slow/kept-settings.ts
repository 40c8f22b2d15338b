// Which operations are kept as slow: `slow/settings.json` in the data directory. One change at a time.
import type { Engine } from '../engines/engine.js'
import { CheckedFile } from '../files/checked-file.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'
import {
  OWN_THRESHOLDS_MAX,
  type SlowPatch,
  type SlowSettings,
  THRESHOLD_LEAST_MS,
  THRESHOLD_MOST_MS,
} from '../schemas/server/slow.js'
import { Turns } from '../turns.js'

type Kept = Pick<SlowSettings, 'thresholdMs' | 'keepKeys' | 'namespaces'>

/** What could not be written is written again after this time. */
const AGAIN_MS = 10_000

export class KeptSlowSettings {
  readonly #file: CheckedFile<Kept>
  readonly #warn: (error: unknown, message: string) => void
  readonly #turns = new Turns()
  /** What the file has. */
  #kept: Kept | undefined
  #damage: GatewayNotice | undefined
  /** No keys are kept, and the file does not say so yet. */
  #unwritten: GatewayNotice | undefined
  #again: NodeJS.Timeout | undefined

  constructor(dataDirectory: string, warn: (error: unknown, message: string) => void) {
    this.#file = new CheckedFile(dataDirectory, 'slow', 'settings.json')
    this.#warn = warn
  }

  /** Gives the engine what the file has. If nobody knows whether keys may be kept, none are. */
  async load(engine: Engine): Promise<void> {
    const found = await this.#file.load(isKept)
    if (found === undefined) return
    if ('damage' in found) {
      await this.#give(engine, { keepKeys: false })
      const message = `no keys of slow operations are kept until their settings are changed: ${found.damage}`
      this.#damage = { code: 'slow_settings_damaged', message, since: new Date().toISOString() }
      this.#warn(new Error(found.damage), 'the settings of slow operations are damaged, so no keys are kept')
      return
    }
    this.#kept = found.body
    const there = new Set(engine.namespaceNames())
    await this.#give(engine, { ...found.body, namespaces: only(found.body.namespaces, (name) => there.has(name)) })
  }

  /** The engine has the settings even if keys that are to go cannot leave its disk yet: it tries again. */
  async #give(engine: Engine, settings: SlowPatch): Promise<void> {
    await engine
      .changeSlowSettings(settings)
      .catch((error: unknown) => this.#warn(error, 'the settings of slow operations are not carried out in full'))
  }

  /** @throws GatewayError `data_directory_unavailable`, and the errors of the engine */
  change(engine: Engine, patch: SlowPatch): Promise<SlowSettings> {
    return this.#turns.take('', async () => {
      const before = engine.slowSettings()
      try {
        const after = await engine.changeSlowSettings(patch)
        await this.#save(after)
        this.#damage = undefined
        return after
      } catch (error) {
        // What cannot be written does not hold, except that keys that had to go are not kept again. A patch that the engine
        // refused has changed nothing.
        const keepKeys = before.keepKeys && engine.slowSettings().keepKeys
        const own = new Map(Object.entries(before.namespaces))
        const names = Object.keys(patch.namespaces ?? {})
        await this.#give(engine, {
          thresholdMs: before.thresholdMs,
          keepKeys,
          namespaces: Object.fromEntries(names.map((name) => [name, own.get(name) ?? null])),
        })
        if (before.keepKeys && !keepKeys) this.#wait(engine, error)
        throw error
      }
    })
  }

  /** Otherwise a restart would keep keys again. */
  #wait(engine: Engine, error: unknown): void {
    const message = `slow operations keep no keys, but a restart would keep them again: ${(error as Error).message}`
    this.#unwritten ??= { code: 'slow_settings_not_written', message, since: new Date().toISOString() }
    clearTimeout(this.#again)
    this.#again = setTimeout(() => void this.writeAgain(engine), AGAIN_MS).unref()
  }

  /** Writes the settings that hold, if the file lacks them. */
  writeAgain(engine: Engine): Promise<void> {
    return this.#turns.take('', async () => {
      if (this.#unwritten === undefined) return
      try {
        await this.#save(engine.slowSettings())
      } catch (error) {
        this.#wait(engine, error)
      }
    })
  }

  /** A namespace was dropped: another one of its name does not get its threshold after a restart. */
  forget(namespace: string): Promise<void> {
    return this.#turns.take('', async () => {
      const kept = this.#kept
      if (kept === undefined || !Object.hasOwn(kept.namespaces, namespace)) return
      const keepKeys = kept.keepKeys && this.#unwritten === undefined
      const namespaces = only(kept.namespaces, (name) => name !== namespace)
      await this.#save({ ...kept, keepKeys, namespaces }).catch((error: unknown) =>
        this.#warn(error, 'the threshold of a dropped namespace is still in the file'),
      )
    })
  }

  notices(): GatewayNotice[] {
    return [this.#damage, this.#unwritten].filter((notice) => notice !== undefined)
  }

  async #save({ thresholdMs, keepKeys, namespaces }: Kept): Promise<void> {
    const kept = { thresholdMs, keepKeys, namespaces }
    await this.#file.save(kept)
    this.#kept = kept
    this.#unwritten = undefined
    clearTimeout(this.#again)
  }
}

const only = <T>(all: Record<string, T>, wanted: (name: string) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => wanted(name)))

const isThreshold = (value: unknown): boolean =>
  typeof value === 'number' && value >= THRESHOLD_LEAST_MS && value <= THRESHOLD_MOST_MS

function isKept(body: unknown): body is Kept {
  if (typeof body !== 'object' || body === null) return false
  const { thresholdMs, keepKeys, namespaces } = body as Partial<Kept>
  if (!isThreshold(thresholdMs) || typeof keepKeys !== 'boolean') return false
  if (typeof namespaces !== 'object' || namespaces === null) return false
  const own = Object.values(namespaces)
  return own.length <= OWN_THRESHOLDS_MAX && own.every(isThreshold)
}
