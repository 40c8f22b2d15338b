// All rules on everything they watch: kept in step with the rules and the namespaces, evaluated once per second.
import { isOfLab } from '../../lab/names.js'
import type { AlertRule } from '../../schemas/alerts/rules.js'
import type { MetricsFrame } from '../../schemas/server/metrics.js'
import { type PastQuery, seriesOf, type View } from '../source.js'
import { metricOf, type Subject } from './metrics.js'
import type { Step } from './state.js'
import { type Kept, Watch } from './watch.js'

/** Most rules times namespaces or disks: what a second may cost is bounded. */
export const WATCHES_MAX = 1000
/** A clock that moves further between two seconds has jumped: a slot of the finest ring of a target. */
const JUMP_MS = 10_000
/** Frames do not join to the millisecond. */
const MISSED_MIN_MS = 500
/** If more is missed, the past is read anew: each missed frame is as much work as a second. */
const MISSED_MAX_MS = 60_000
/** Targets whose past is read at once. */
const SEEDS_MAX = 4

export type Change = { watch: Watch; step: Exclude<Step, undefined> | 'gone' }

export class Watches {
  readonly #past: (query: PastQuery) => Promise<readonly MetricsFrame[]>
  readonly #failed: (error: unknown) => void
  #watches: Map<string, Watch>
  /** Targets whose past was not asked for yet: those of the last start, and all after a jump of the clock. */
  readonly #restored: Set<Watch>
  #last: Pick<View, 'atMs' | 'aheadMs'> | undefined
  #leftOut = 0
  /** What reads the past, each one target after the other. */
  readonly #seeds: Promise<void>[] = Array.from({ length: SEEDS_MAX }, () => Promise.resolve())
  #nextSeed = 0
  #missed: Promise<void> = Promise.resolve()

  constructor(
    kept: readonly Kept[],
    past: (query: PastQuery) => Promise<readonly MetricsFrame[]>,
    failed: (error: unknown) => void,
  ) {
    const restored = kept.map((one) => new Watch(one.rule, one.subject, one.standing.sinceMs, one))
    this.#watches = new Map(restored.map((watch) => [keyOf(watch.rule.id, watch.subject), watch]))
    this.#restored = new Set(restored)
    this.#past = past
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
    await Promise.all([...this.#seeds, this.#missed])
  }

  evaluate(rules: readonly AlertRule[], view: View): Change[] {
    this.#catchUp(view)
    this.#last = { atMs: view.atMs, aheadMs: view.aheadMs }
    const changes = this.#follow(rules, view)
    for (const watch of this.#watches.values()) {
      const step = watch.look(view)
      if (step !== undefined) changes.push({ watch, step })
    }
    return changes
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
      for (const missed of await this.#past({ fromMs, toMs, stepSeconds: 1 })) {
        const series = seriesOf(missed)
        for (const watch of watches) watch.addMissed(Date.parse(missed.time), series)
      }
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
    this.#leftOut = 0
    for (const rule of rules) {
      if (rule.enabled === false) continue
      const subjects = this.#subjects(rule, view)
      const room = WATCHES_MAX - next.size
      this.#leftOut += Math.max(0, subjects.length - room)
      for (const subject of subjects.slice(0, room)) {
        const key = keyOf(rule.id, subject)
        next.set(key, this.#watch(key, rule, subject, view))
      }
    }
    const gone = [...this.#watches].filter(([key, watch]) => next.get(key) !== watch).map(([, watch]) => watch)
    this.#watches = next
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

  #watch(key: string, rule: AlertRule, subject: Subject, view: View): Watch {
    const found = this.#watches.get(key)
    if (found !== undefined && sameData(found.rule, rule)) {
      found.rule = rule
      if (this.#restored.delete(found) && rule.target !== undefined) this.#seed(found, view)
      return found
    }
    const watch = new Watch(rule, subject, view.atMs)
    if (rule.target !== undefined) this.#seed(watch, view)
    return watch
  }

  /** The frame of `view` is pushed by the evaluation. */
  #seed(watch: Watch, { atMs, frame }: View): void {
    const { namespace = '' } = watch.subject
    const op = watch.rule.target?.op ?? 'all'
    const one = op === 'all' || op === 'reads' || op === 'writes' ? {} : { op }
    const past = (fromMs: number, toMs: number, stepSeconds: number) =>
      this.#past({ fromMs, toMs, stepSeconds, namespace, ...one })
    const key = keyOf(watch.rule.id, watch.subject)
    // Nobody asks one that is gone, or was begun anew.
    const seed = () => (this.#watches.get(key) === watch ? watch.seed(past, atMs - frame.durationMs) : undefined)
    const reader = this.#nextSeed
    this.#nextSeed = (reader + 1) % SEEDS_MAX
    this.#seeds[reader] = this.#seeds[reader]?.then(seed).catch(this.#failed) ?? Promise.resolve()
  }
}

const keyOf = (ruleId: string, { namespace = '', disk = '' }: Subject): string => `${ruleId}\n${namespace}\n${disk}`

const lives = ({ namespace }: Subject, { names }: View): boolean => namespace === undefined || names.includes(namespace)

/** Whether two versions of a rule look at the same data, so that a state goes on. */
function sameData(a: AlertRule, b: AlertRule): boolean {
  return a === b || dataOf(a) === dataOf(b)
}

function dataOf({ namespace, target, threshold }: AlertRule): string {
  const { metric, op, side, windowSeconds } = threshold ?? {}
  return JSON.stringify([namespace, target, metric, op, side, windowSeconds])
}

function subjectsOf({ namespace, threshold }: AlertRule, { names, frame }: View): Subject[] {
  const scope = threshold === undefined ? 'namespace' : metricOf(threshold.metric)?.scope
  // A run of the lab measures limits, so its namespaces are slow and full on purpose.
  const wanted = (name: string): boolean => (namespace === undefined ? !isOfLab(name) : name === namespace)
  switch (scope) {
    case 'server':
      return [{}]
    case 'namespace':
      return names.filter(wanted).map((name) => ({ namespace: name }))
    case 'disk':
      return frame.devices
        .filter((load) => wanted(load.namespace))
        .flatMap(({ namespace: name, disks }) => disks.map(({ path }) => ({ namespace: name, disk: path })))
    case undefined:
      return []
  }
}
