// One rule on one namespace, one disk or the server: its data, its state, and both in words.
import type { Alert, TargetReport } from '../../schemas/alerts/alerts.js'
import type { AlertRule } from '../../schemas/alerts/rules.js'
import { iso } from '../clock.js'
import type { View } from '../source.js'
import { type Sentence, say, toldIn } from '../../sentences/sentence.js'
import { LatencyWindow } from './latency.js'
import { type Metric, metricOf, type Subject } from './metrics.js'
import { begin, type Holds, interrupt, type Standing, step, type Step, type Verdict } from './state.js'
import { builtInRules } from '../rules/defaults.js'
import { missedIn, shareOf, TargetWatch } from './target.js'

const WINDOW_SECONDS = 60
const RESOLVE_SECONDS = 60
/** A target is judged over windows of minutes and hours already. */
const TARGET_HOLDS: Holds = { forMs: 0, resolveForMs: 60_000 }
/** A longer time that no frame covers is a gap. */
const GAP_MS = 10_000

/** What a state file keeps of it. */
export interface Kept {
  /** As it was: it may be gone, and then its end is told with its name. */
  rule: AlertRule
  subject: Subject
  standing: Standing
  /** Whether the webhook was told that it fires. */
  told: boolean
}

export class Watch {
  rule: AlertRule
  readonly subject: Subject
  readonly standing: Standing
  told: boolean
  readonly #metric: Metric | undefined
  readonly #window: LatencyWindow | undefined
  readonly #target: TargetWatch | undefined
  #value: number | undefined
  #atMs = 0
  /** Made once per second at most, however many ask. */
  #report: TargetReport | undefined

  constructor(rule: AlertRule, subject: Subject, atMs: number, kept?: Kept) {
    this.rule = rule
    this.subject = subject
    this.standing = kept?.standing ?? begin(atMs)
    this.told = kept?.told ?? false
    // Nobody knows what held while the server was stopped.
    interrupt(this.standing)
    const { threshold, target } = rule
    if (target !== undefined) this.#target = new TargetWatch(target)
    if (threshold === undefined) return
    const { metric, op = 'all', side = 'engine', windowSeconds = WINDOW_SECONDS } = threshold
    this.#metric = metricOf(metric)
    if (this.#metric?.windowed === true) this.#window = new LatencyWindow({ op, side }, windowSeconds)
  }

  get kept(): Kept {
    const { rule, subject, standing, told } = this
    return { rule, subject, standing, told }
  }

  /** Takes a step of the past in: a slot of the ring with slots of this length. */
  addPast(slotMs: number, atMs: number, series: View['series']): void {
    this.#target?.addPast(slotMs, atMs, series.get(this.subject.namespace ?? '') ?? [])
  }

  /** The past is in it, as far as it could be read. */
  endPast(): void {
    this.#target?.endPast()
    this.#report = undefined
  }

  get hasTarget(): boolean {
    return this.#target !== undefined
  }

  /** Takes a second in that came too late to be judged. */
  addMissed(atMs: number, series: View['series']): void {
    this.#target?.push(atMs, series.get(this.subject.namespace ?? '') ?? [])
    this.#report = undefined
  }

  get seeded(): boolean {
    return this.#target?.seeded ?? true
  }

  /** Takes a second in, and says what it changed. */
  look(view: View): Step {
    // A frame after a pause of the process covers it, and is no gap.
    const gapMs = view.atMs - view.frame.durationMs - this.#atMs
    if (this.#atMs !== 0 && Math.abs(gapMs) > GAP_MS) interrupt(this.standing)
    this.#atMs = view.atMs
    this.#report = undefined
    const series = view.series.get(this.subject.namespace ?? '') ?? []
    if (this.#target !== undefined) {
      this.#target.push(view.atMs, series)
      return step(this.standing, view.atMs, this.#target.verdict(view.atMs), TARGET_HOLDS)
    }
    this.#window?.push(view.atMs, view.frame.durationMs, series)
    this.#value = this.#read(view)
    const { forSeconds = 0, resolveForSeconds = RESOLVE_SECONDS } = this.rule.threshold ?? {}
    const holds = { forMs: forSeconds * 1000, resolveForMs: resolveForSeconds * 1000 }
    return step(this.standing, view.atMs, this.#judge(), holds)
  }

  report(muted: boolean): Alert {
    const { rule, subject, standing } = this
    const target = this.#targetReport()
    const value = this.value
    return {
      ruleId: rule.id,
      rule: rule.name,
      severity: rule.severity,
      ...subject,
      state: standing.state,
      since: iso(standing.sinceMs),
      ...toldIn(this.sentence()),
      ...(value !== undefined && { value }),
      // Of a target with too few operations there is data, though nothing is judged.
      ...(value === undefined && standing.noDataSinceMs !== undefined && { noDataSince: iso(standing.noDataSinceMs) }),
      muted,
      ...(target !== undefined && { target }),
    }
  }

  /** The value of the metric, or the share of the last hour within the target. */
  get value(): number | undefined {
    if (this.#target === undefined) return this.#value
    return this.#targetReport()?.windows.find(({ window }) => window === 'hour')?.sharePercent
  }

  sentence(): Sentence {
    const { name } = this.rule
    const standing = this.#target === undefined ? this.#thresholdSentence() : this.#targetSentence()
    // A name that somebody gave is said as it is.
    return say('{rule}: {standing}', { rule: builtInRules.has(name) ? { message: name } : name, standing })
  }

  /** Whether it has a target that is missed now. */
  get missed(): boolean {
    return this.#targetReport()?.missed ?? false
  }

  #targetReport(): TargetReport | undefined {
    this.#report ??= this.#target?.report(this.#atMs)
    return this.#report
  }

  #read(view: View): number | undefined {
    const metric = this.#metric
    if (metric === undefined) return undefined
    if (!metric.windowed) return metric.of(view, this.subject)
    return this.#window && metric.of(this.#window)
  }

  #judge(): Verdict {
    const [value, threshold] = [this.#value, this.rule.threshold]
    if (value === undefined || threshold === undefined) return { breach: undefined, clear: false }
    const { when, value: limit, resolveValue = limit } = threshold
    const beyond = (edge: number): boolean => (when === 'above' ? value > edge : value < edge)
    return { breach: beyond(limit), clear: !beyond(resolveValue) && !beyond(limit) }
  }

  #thresholdSentence(): Sentence {
    const [metric, threshold, value] = [this.#metric, this.rule.threshold, this.#value]
    if (metric === undefined || threshold === undefined) return say('the metric is unknown')
    const whose = this.#whose(metric.windowed ? (threshold.op ?? 'all') : '')
    if (metric.unit === 'flag') {
      if (value === undefined) return say('no data about {what}', { what: whose ?? metric.sentence('') })
      return (value === 0 ? metric.off : metric.sentence)(whose ?? '')
    }
    const { sentence, unit } = metric
    const what = whose === undefined ? sentence : say('{metric} of {whose}', { metric: sentence, whose })
    if (value === undefined) return say('no data about {what}', { what })
    const values = { what, value: { amount: value, unit }, limit: { amount: threshold.value, unit } }
    if (value > threshold.value) return say('{what} is {value}, above {limit}', values)
    if (value < threshold.value) return say('{what} is {value}, below {limit}', values)
    return say('{what} is {value}, at {limit}', values)
  }

  #targetSentence(): Sentence {
    const report = this.#targetReport()
    if (report === undefined) return say('the target is unknown')
    const wrong = missedIn(report) ?? report.windows.find(({ window }) => window === 'hour')
    const what = this.#whose(report.op) ?? say('operations')
    if (wrong?.sharePercent === undefined) return say('no {what} in the last hour', { what })
    const values = {
      share: shareOf(wrong.sharePercent, report.percent),
      what,
      within: { amount: report.withinUs / 1000, unit: 'ms' },
      target: String(report.percent),
    } as const
    return wrong.window === 'minute'
      ? say('{share} of {what} within {within} in the last minute, target {target}%', values)
      : say('{share} of {what} within {within} in the last hour, target {target}%', values)
  }

  /** `writes of shop`, `data.tsr of shop`; undefined for the server. */
  #whose(op: string): Sentence | string | undefined {
    const { namespace, disk } = this.subject
    const parts = [op === '' ? undefined : (opSentences[op] ?? op), disk, namespace].filter((one) => one !== undefined)
    const [first, ...others] = parts
    return others.reduce<Sentence | string | undefined>(
      (what, whose) => (what === undefined ? whose : say('{what} of {whose}', { what, whose })),
      first,
    )
  }
}

const opSentences: Readonly<Record<string, Sentence>> = {
  all: say('operations'),
  get: say('gets'),
  put: say('puts'),
  update: say('updates'),
  delete: say('deletes'),
  batch: say('batches'),
  scan: say('scans'),
  query: say('queries'),
  'index-lookup': say('index lookups'),
  reads: say('reads'),
  writes: say('writes'),
}
