// Alerts: rules are evaluated once per second, changes become events, and events become notices.
import { type Ids, isFormer, type Kept, marked, ownerOf } from '../auth/former.js'
import { CheckedFile } from '../files/checked-file.js'
import { newId } from '../files/object-files.js'
import type { Alert, AlertEvent, AlertProblem } from '../schemas/alerts/alerts.js'
import type { AlertRule } from '../schemas/alerts/rules.js'
import type { AlertHealth } from '../schemas/alerts/health.js'
import type { MetricsFrame } from '../schemas/server/metrics.js'
import { type Clock, iso } from './clock.js'
import { english, saidOf, say, type Sentence, toldIn } from '../sentences/sentence.js'
import { healthOf } from './health.js'
import { isStateFile, type StateFile } from './kept-state.js'
import { RuleBook, type RuleFile } from './rules/book.js'
import { type AlertSource, type Facts, viewOf } from './source.js'
import type { Subject } from './watch/metrics.js'
import type { Watch } from './watch/watch.js'
import { type Change, Watches } from './watch/watches.js'
import { Deliveries, type DeliveryOptions } from './webhook/deliveries.js'

/** Most events that are kept. */
export const EVENTS_MAX = 1000
const FACTS_MS = 5000
/** Facts that are older say nothing. */
const FACTS_STALE_MS = 30_000
/** What could not be written is written again after this time. */
export const AGAIN_MS = 10_000

export interface AlertOptions extends Pick<DeliveryOptions, 'allowPrivate' | 'timeoutMs' | 'names'> {
  dataDirectory: string
  clock: Clock
  warn: (error: unknown, message: string) => void
}

/** Whether a caller sees what is about a namespace or, without one, the server. */
export type Sees = (subject: { namespace?: string; former?: true }) => boolean
const all: Sees = () => true

export class Alerts {
  readonly rules: RuleBook
  readonly allowPrivate: boolean
  readonly #clock: Clock
  readonly #warn: AlertOptions['warn']
  readonly #file: CheckedFile<StateFile>
  readonly #deliveries: Deliveries
  readonly #problems = new Map<AlertProblem['code'], AlertProblem>()
  #source: AlertSource | undefined
  #watches: Watches | undefined
  #events: AlertEvent[] = []
  #facts: { atMs: number; facts: Facts } | undefined
  #factsBusy = false
  #evaluatedAt: string | undefined
  #unlisten = (): void => undefined
  #writes: Promise<unknown> = Promise.resolve()
  /** Calls off the next try of what could not be written. */
  #again: (() => void) | undefined
  /** A write that has not begun yet. */
  #nextWrite: Promise<Error | undefined> | undefined

  constructor({ dataDirectory, clock, warn, ...delivery }: AlertOptions) {
    this.#clock = clock
    this.#warn = warn
    this.allowPrivate = delivery.allowPrivate
    this.rules = new RuleBook(new CheckedFile<RuleFile>(dataDirectory, 'alerts', 'rules.json'), clock)
    this.#file = new CheckedFile(dataDirectory, 'alerts', 'state.json')
    const receiver = () => this.rules.receiver
    this.#deliveries = new Deliveries({ ...delivery, clock, receiver, changed: () => void this.#save() })
  }

  /** Loads what is kept and begins to listen. Nothing in the files fails it. */
  async start(source: AlertSource): Promise<void> {
    this.#source = source
    // Both are looked for before one is written: a folder with one of them has lost the other.
    const damagedRules = await this.rules.load(source.ids)
    const found = await this.#file.load(isStateFile)
    this.#damaged(damagedRules)
    if (found !== undefined && 'damage' in found) this.#damaged(found.damage)
    const state = found !== undefined && 'body' in found ? found.body : { watches: [], events: [] }
    this.#events = state.events.slice(0, EVENTS_MAX)
    const watches = state.watches.map((kept) => ({ ...kept, subject: owned(source.ids, kept.subject) }))
    this.#watches = new Watches(watches, source, (error) =>
      this.#warn(error, 'the past of a latency target could not be read'),
    )
    if (found === undefined || 'damage' in found) await this.#save()
    for (const event of this.#events.toReversed()) if (event.delivery?.state === 'waiting') this.#deliveries.add(event)
    this.#unlisten = source.listen((frame) => this.evaluate(frame))
  }

  /** Ends listening and sending, and waits for the last write. */
  async close(): Promise<void> {
    this.#unlisten()
    this.#deliveries.close()
    if (this.#again !== undefined) void this.#save()
    await this.#writes
    this.#again?.()
  }

  /** Looks at one second. */
  evaluate(frame: MetricsFrame): void {
    const [source, watches] = [this.#source, this.#watches]
    if (source === undefined || watches === undefined) return
    void this.#readFacts(source)
    const facts =
      this.#facts !== undefined && this.#clock.now() - this.#facts.atMs < FACTS_STALE_MS ? this.#facts.facts : undefined
    const changes = watches.evaluate(this.#inForce(source), viewOf(frame, source, facts, this.#clock))
    this.#evaluatedAt = frame.time
    const events = changes.map((change) => this.#eventOf(change))
    // A mute has ended, and nobody was told yet.
    for (const watch of watches.all()) {
      if (watch.standing.state === 'firing' && !watch.told && !this.rules.muted(watch.rule)) {
        if (!changes.some((change) => change.watch === watch)) events.push(this.#event(watch, 'firing'))
        watch.told = true
      }
    }
    this.#publish(events)
  }

  /** Resolves when the past has been read and everything is written. */
  async settled(): Promise<void> {
    await this.#watches?.settled()
    await this.#writes
  }

  list(sees = all): Alert[] {
    return this.#seen(sees).map((watch) => this.#marked(watch.report(this.rules.muted(watch.rule))))
  }

  /** What the alerts are in, without their words and figures: those cost more. */
  standings(): Pick<Alert, 'state' | 'severity'>[] {
    return (this.#watches?.all() ?? []).map(({ standing: { state }, rule: { severity } }) => ({ state, severity }))
  }

  health(sees = all): AlertHealth {
    return healthOf(this.#seen(sees))
  }

  #seen(sees: Sees): readonly Watch[] {
    const watches = this.#watches?.all() ?? []
    return sees === all ? watches : watches.filter(({ subject }) => sees(this.#marked(subject)))
  }

  get evaluatedAt(): string | undefined {
    return this.#evaluatedAt
  }

  get waiting(): number {
    return this.#deliveries.waiting
  }

  /** Newest first. */
  events(): readonly AlertEvent[] {
    return this.#events.map((event) => this.#marked(event))
  }

  /** Those that watch something. A rule ends with its namespace; one that was made before it waits for it. */
  #inForce({ ids }: AlertSource): AlertRule[] {
    return this.rules.list().filter((rule) => rule.namespaceId === '' || !isFormer(ids, rule))
  }

  #marked<T extends Kept>(kept: T): T & { former?: true } {
    return this.#source === undefined ? kept : marked(this.#source.ids, kept)
  }

  problems(): AlertProblem[] {
    const leftOut = this.#watches?.leftOut ?? 0
    const more: AlertProblem[] =
      leftOut === 0
        ? []
        : [
            {
              code: 'alerts_left_out',
              ...messageOf(
                say(
                  '{alerts, plural, one {# alert is} other {# alerts are}} not evaluated, because there are too many rules and namespaces',
                  { alerts: leftOut },
                ),
              ),
              since: this.#evaluatedAt ?? iso(this.#clock.now()),
            },
          ]
    return [...this.#problems.values(), ...more]
  }

  /**
   * Sends a notice as if the rule fired, even if it is muted. Changes no state. It resolves when the notice is written,
   * so a crash does not lose it.
   *
   * @throws GatewayError `alert_rule_not_found`, `data_directory_unavailable`, and the errors of `check`
   */
  async test(ruleId: string, check: (rule: AlertRule) => void): Promise<AlertEvent> {
    const rule = this.rules.get(ruleId)
    check(rule)
    const watch = this.#watches?.all().find((one) => one.rule.id === ruleId)
    const event: AlertEvent = {
      id: newId(),
      at: iso(this.#clock.now()),
      kind: 'test',
      ruleId,
      rule: rule.name,
      severity: rule.severity,
      ...watch?.subject,
      ...toldIn(say('Test of {what}', { what: watch?.sentence() ?? rule.name })),
      muted: false,
    }
    this.#send(event)
    this.#keep([event])
    const failure = await this.#save()
    if (failure !== undefined) {
      this.#events = this.#events.filter((one) => one !== event)
      throw failure
    }
    if (event.delivery !== undefined) this.#deliveries.add(event)
    return event
  }

  /** A namespace was dropped: another one of its name has alerts of its own. */
  dropNamespace(name: string): void {
    this.#watches?.drop(name)
    if (this.#facts === undefined) return
    const { facts } = this.#facts
    const namespaces = facts.namespaces.filter((one) => one.name !== name)
    this.#facts = { ...this.#facts, facts: { ...facts, namespaces } }
  }

  /** Drops the notices that wait for a webhook that is gone. */
  forgetNotices(): void {
    this.#deliveries.clear('the webhook was deleted')
  }

  #eventOf({ watch, step }: Change): AlertEvent {
    if (step === 'fired') {
      watch.told = !this.rules.muted(watch.rule)
      return this.#event(watch, 'firing')
    }
    const what = watch.sentence()
    const sentences = {
      resolved: what,
      'no-data': say('{what}; resolved after an hour without data', { what }),
      gone: say('{what}; it is not watched any more', { what }),
    }
    const event = this.#event(watch, 'resolved', sentences[step])
    watch.told = false
    return event
  }

  /** A muted rule sends nothing, except the end of what was sent. */
  #event(watch: Watch, kind: 'firing' | 'resolved', sentence = watch.sentence()): AlertEvent {
    const { rule, subject, told, value } = watch
    const muted = this.rules.muted(rule)
    const event: AlertEvent = {
      id: newId(),
      at: iso(this.#clock.now()),
      kind,
      ruleId: rule.id,
      rule: rule.name,
      severity: rule.severity,
      ...subject,
      ...toldIn(sentence),
      ...(value !== undefined && { value }),
      muted,
    }
    if (kind === 'firing' ? !muted : told) this.#send(event)
    return event
  }

  #send(event: AlertEvent): void {
    if (this.rules.receiver !== undefined) event.delivery = { state: 'waiting', attempts: 0 }
  }

  /** Written first, then sent: after a crash, a notice goes again with the same id, and none goes twice with two. */
  #publish(events: readonly AlertEvent[]): void {
    if (events.length === 0) return
    this.#keep(events)
    void this.#deliver(events)
  }

  #keep(events: readonly AlertEvent[]): void {
    this.#events = [...events.toReversed(), ...this.#events].slice(0, EVENTS_MAX)
  }

  async #deliver(events: readonly AlertEvent[]): Promise<void> {
    await this.#save()
    for (const event of events) if (event.delivery !== undefined) this.#deliveries.add(event)
  }

  /**
   * Resolves when what holds now is written, or with the reason if it could not be. However slow the disk is, one write
   * waits at most.
   */
  #save(): Promise<Error | undefined> {
    this.#nextWrite ??= this.#writes.then(() => {
      this.#nextWrite = undefined
      return this.#write()
    })
    this.#writes = this.#nextWrite
    return this.#nextWrite
  }

  async #write(): Promise<Error | undefined> {
    this.#again?.()
    this.#again = undefined
    try {
      await this.rules.write()
      await this.#file.save({ watches: this.#watches?.kept() ?? [], events: this.#events })
      this.#problems.delete('alerts_not_written')
      return undefined
    } catch (error) {
      this.#unwritten(error as Error)
      return error as Error
    }
  }

  async #readFacts(source: AlertSource): Promise<void> {
    const now = this.#clock.now()
    if (this.#factsBusy || (this.#facts !== undefined && Math.abs(now - this.#facts.atMs) < FACTS_MS)) return
    this.#factsBusy = true
    try {
      this.#facts = { atMs: now, facts: await source.facts() }
    } catch (error) {
      // An engine that closes has no facts.
      this.#warn(error, 'the facts for alerts could not be read')
    } finally {
      this.#factsBusy = false
    }
  }

  #damaged(message: string | undefined): void {
    if (message === undefined) return
    this.#warn(new Error(message), 'a file of the alerts is damaged')
    const before = this.#problems.get('alerts_damaged')
    const text = before === undefined ? message : `${before.message}; ${message}`
    this.#problems.set('alerts_damaged', { code: 'alerts_damaged', message: text, since: iso(this.#clock.now()) })
  }

  #unwritten(error: Error): void {
    this.#again = this.#clock.after(AGAIN_MS, () => void this.#save())
    this.#warn(error, 'the alerts could not be written')
    if (this.#problems.has('alerts_not_written')) return
    const why = say('alerts are in memory only: {why}', { why: error.message })
    const since = iso(this.#clock.now())
    this.#problems.set('alerts_not_written', { code: 'alerts_not_written', ...messageOf(why), since })
  }
}

const messageOf = (sentence: Sentence): Pick<AlertProblem, 'message' | 'said'> => ({
  message: english(sentence),
  ...saidOf(sentence),
})

/** A subject with the id of its namespace, also if it was kept before there were ids. */
const owned = (ids: Ids, subject: Subject): Subject =>
  subject.namespace === undefined ? subject : { ...subject, namespaceId: ownerOf(ids, subject) }
