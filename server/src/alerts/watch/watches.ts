// All rules on everything they watch: kept in step with the rules and the namespaces, evaluated once per second.
import { isFormer } from '../../auth/former.js'
import { isOfLab } from '../../lab/names.js'
import type { AlertRule } from '../../schemas/alerts/rules.js'
import { type AlertSource, seriesOf, type View } from '../source.js'
import { metricOf, type Subject } from './metrics.js'
import { readPast } from './past.js'
import type { Step } from './state.js'
import { type Kept, Watch } from './watch.js'

/** Most rules times namespaces or disks: what a second may cost is bounded. */
export const WATCHES_MAX = 1000
/** A clock that moves further between two seconds has jumped: a slot of the finest ring of a target. */
const JUMP_MS = 10_000
/** Frames do not join to the millisecond. */
const MISSED_MIN_MS = 500
/** One that was under way when the namespace was dropped, and the one that was going on. */
const DROPPED_FRAMES = 2
/** If more is missed, the past is read anew: each missed frame is as much work as a second. */
const MISSED_MAX_MS = 60_000

export type Change = { watch: Watch; step: Exclude<Step, undefined> | 'gone' }

export class Watches {
  readonly #source: AlertSource
  readonly #failed: (error: unknown) => void
  #watches: Map<string, Watch>
  /** Targets whose past was not asked for yet: those of the last start, and all after a jump of the clock. */
  readonly #restored: Set<Watch>
  #last: Pick<View, 'atMs' | 'aheadMs'> | undefined
  /** Namespaces that were dropped, and how many more frames may be about them. */
  readonly #dropped = new Map<string, number>()
  #leftOut = 0
  #seeds: Promise<void> = Promise.resolve()
  #missed: Promise<void> = Promise.resolve()

  constructor(kept: readonly Kept[], source: AlertSource, failed: (error: unknown) => void) {
    const restored = kept.map((one) => new Watch(one.rule, one.subject, one.standing.sinceMs, one))
    this.#watches = new Map(restored.map((watch) => [keyOf(watch.rule.id, watch.subject), watch]))
    this.#restored = new Set(restored)
    this.#source = source
    this.#failed = failed
  }

  /** In the order of the rules. Before the first second, those that fired when the last start ended. */
  all(): readonly Watch[] {
    return [...this.#watches.values()]
  }

  get leftOut(): number {
    return this.#leftOut
  }

  /** What the next start needs: that something fires, or did. */
  kept(): Kept[] {
    return this.all()
      .map((watch) => watch.kept)
      .filter(({ standing: { state } }) => state === 'firing' || state === 'resolved')
  }

  /** Resolves when the past of all targets has been read. */
  async settled(): Promise<void> {
    await Promise.all([this.#seeds, this.#missed])
  }

  /** What watches this namespace ends with the next second, also if another one gets its name at once. */
  drop(namespace: string): void {
    this.#dropped.set(namespace, DROPPED_FRAMES)
  }

  evaluate(rules: readonly AlertRule[], whole: View): Change[] {
    const view = this.#withoutDropped(whole)
    this.#catchUp(view)
    this.#last = { atMs: view.atMs, aheadMs: view.aheadMs }
    const changes = this.#follow(rules, view)
    for (const watch of this.#watches.values()) {
      const step = watch.look(view)
      if (step !== undefined) changes.push({ watch, step })
    }
    return changes
  }

  #withoutDropped(view: View): View {
    if (this.#dropped.size === 0) return view
    const is = (name: string): boolean => !this.#dropped.has(name)
    const devices = view.frame.devices.filter(({ namespace }) => is(namespace))
    const left = { ...view, names: view.names.filter(is), frame: { ...view.frame, devices } }
    for (const [name, frames] of this.#dropped) {
      if (frames > 1) this.#dropped.set(name, frames - 1)
      else this.#dropped.delete(name)
    }
    return left
  }

  /** A clock that jumped makes all that is known wrong. A busy gateway misses frames; after a pause, one frame covers it. */
  #catchUp(view: View): void {
    if (this.#last === undefined) return
    const jumpMs = view.aheadMs - this.#last.aheadMs
    const missedMs = view.atMs - view.frame.durationMs - this.#last.atMs
    if (Math.abs(jumpMs) > JUMP_MS || missedMs < -JUMP_MS || missedMs > MISSED_MAX_MS) this.#beginAnew(view)
    else if (missedMs > MISSED_MIN_MS) this.#readMissed(this.#last.atMs, view)
  }

  /** Gives the frames between two seconds to all targets at once. The frame of `view` is pushed by the evaluation. */
  #readMissed(fromMs: number, { atMs, frame }: View): void {
    // The past of the others is read later.
    const watches = [...this.#watches.values()].filter((watch) => watch.hasTarget && !this.#restored.has(watch))
    if (watches.length === 0) return
    // The last one that was missed ended when this one began, to the millisecond or so.
    const toMs = Math.round(atMs - frame.durationMs / 2)
    const read = async () => {
      await this.#source.past({ fromMs, toMs, stepSeconds: 1 }, (missed) => {
        const series = seriesOf(missed)
        for (const watch of watches) watch.addMissed(Date.parse(missed.time), series)
      })
    }
    this.#missed = this.#missed.then(read).catch(this.#failed)
  }

  /** Rings of targets lack slots of this time, or have others in their places. The history has them, as at a start. */
  #beginAnew({ atMs }: View): void {
    for (const [key, { rule, subject, kept }] of this.#watches) {
      if (rule.target === undefined) continue
      const watch = new Watch(rule, subject, atMs, kept)
      this.#watches.set(key, watch)
      this.#restored.add(watch)
    }
  }

  /** Adds what is new and removes what is gone. */
  #follow(rules: readonly AlertRule[], view: View): Change[] {
    const next = new Map<string, Watch>()
    const unread: Watch[] = []
    this.#leftOut = 0
    for (const rule of rules) {
      if (rule.enabled === false) continue
      const subjects = this.#subjects(rule, view)
      const room = WATCHES_MAX - next.size
      this.#leftOut += Math.max(0, subjects.length - room)
      for (const subject of subjects.slice(0, room)) {
        const key = keyOf(rule.id, subject)
        next.set(key, this.#watch(key, rule, subject, view, unread))
      }
    }
    const gone = [...this.#watches].filter(([key, watch]) => next.get(key) !== watch).map(([, watch]) => watch)
    this.#watches = next
    if (unread.length > 0) this.#seed(unread, view)
    return gone.filter(({ standing }) => standing.state === 'firing').map((watch) => ({ watch, step: 'gone' }))
  }

  /** A disk that is not in this frame is a gap, not gone. */
  #subjects(rule: AlertRule, view: View): Subject[] {
    const found = subjectsOf(rule, view)
    if (rule.threshold === undefined || metricOf(rule.threshold.metric)?.scope !== 'disk') return found
    const keys = new Set(found.map((subject) => keyOf(rule.id, subject)))
    const absent = [...this.#watches]
      .filter(([key, watch]) => watch.rule.id === rule.id && !keys.has(key))
      .filter(([, watch]) => sameData(watch.rule, rule) && lives(watch.subject, view))
    return [...found, ...absent.map(([, { subject }]) => subject)]
  }

  /** Adds it to `unread` if its past is to be read. */
  #watch(key: string, rule: AlertRule, subject: Subject, view: View, unread: Watch[]): Watch {
    const found = this.#watches.get(key)
    if (found !== undefined && sameData(found.rule, rule)) {
      found.rule = rule
      if (this.#restored.delete(found) && rule.target !== undefined) unread.push(found)
      return found
    }
    const watch = new Watch(rule, subject, view.atMs)
    if (rule.target !== undefined) unread.push(watch)
    return watch
  }

  /** Reads the past of these. The frame of `view` is pushed by the evaluation. */
  #seed(watches: readonly Watch[], { atMs, frame }: View): void {
    const seed = async () => {
      // Nobody asks those that are gone, or were begun anew.
      const asked = watches.filter((watch) => this.#watches.get(keyOf(watch.rule.id, watch.subject)) === watch)
      if (asked.length === 0) return
      try {
        await readPast(this.#source, asked, atMs - frame.durationMs)
      } finally {
        for (const watch of asked) watch.endPast()
      }
    }
    this.#seeds = this.#seeds.then(seed).catch(this.#failed)
  }
}

const keyOf = (ruleId: string, { namespace = '', namespaceId = '', disk = '' }: Subject): string =>
  `${ruleId}\n${namespace}\n${namespaceId}\n${disk}`

const lives = (subject: Subject, { names, ids }: View): boolean =>
  subject.namespace === undefined || (names.includes(subject.namespace) && !isFormer(ids, subject))

/** Whether two versions of a rule look at the same data, so that a state goes on. */
function sameData(a: AlertRule, b: AlertRule): boolean {
  return a === b || dataOf(a) === dataOf(b)
}

function dataOf({ namespace, target, threshold }: AlertRule): string {
  const { metric, op, side, windowSeconds } = threshold ?? {}
  return JSON.stringify([namespace, target, metric, op, side, windowSeconds])
}

function subjectsOf({ namespace, threshold }: AlertRule, { names, frame, ids }: View): Subject[] {
  const scope = threshold === undefined ? 'namespace' : metricOf(threshold.metric)?.scope
  // A run of the lab measures limits, so its namespaces are slow and full on purpose.
  const wanted = (name: string): boolean => (namespace === undefined ? !isOfLab(name) : name === namespace)
  const named = (name: string) => ({ namespace: name, namespaceId: ids.tenureOf(name).id })
  switch (scope) {
    case 'server':
      return [{}]
    case 'namespace':
      return names.filter(wanted).map(named)
    case 'disk':
      return frame.devices
        .filter((load) => wanted(load.namespace))
        .flatMap(({ namespace: name, disks }) => disks.map(({ path }) => ({ ...named(name), disk: path })))
    case undefined:
      return []
  }
}
