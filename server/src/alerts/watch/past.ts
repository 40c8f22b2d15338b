// The past of latency targets, from the history of the engine. It is kept by name, so it also has what an older namespace
// of the same name did: only what began after the creation counts.
import type { AlertSource, PastQuery } from '../source.js'
import { seriesOf } from '../source.js'
import { LATE_MS, rings } from './target.js'
import type { Watch } from './watch.js'

/** From coarse to fine. Where a step holds the creation, finer ones tell what came after it. */
const STEPS_MS: readonly number[] = [...rings.map(({ slotMs }) => slotMs).toReversed(), 1000]

type Range = Pick<PastQuery, 'fromMs' | 'toMs'>

/** Reads the past once for all of these: to read 30 days takes a second, and there may be 1,000 targets. */
export async function readPast(source: AlertSource, targets: readonly Watch[], toMs: number): Promise<void> {
  for (const { slotMs, length } of rings) {
    const range = { fromMs: toMs - slotMs * length, toMs }
    const reader = new Reader(source, slotMs)
    const stepMs = await reader.read(targets, range, slotMs)
    for (const [namespace, own] of byNamespace(targets)) {
      const createdMs = sinceOf(source, namespace)
      if (createdMs > range.fromMs) await reader.readFirst(own, createdMs, { stepMs, toMs })
    }
  }
}

/** Fills the rings with slots of one length. */
class Reader {
  readonly #source: AlertSource
  readonly #slotMs: number

  constructor(source: AlertSource, slotMs: number) {
    this.#source = source
    this.#slotMs = slotMs
  }

  /** Adds the steps that began after the creation, and returns how long they are. */
  async read(targets: readonly Watch[], range: Range, wantedMs: number): Promise<number> {
    let stepMs = wantedMs
    await this.#source.past({ ...range, stepSeconds: wantedMs / 1000, ...seriesFor(targets) }, (step, longMs) => {
      stepMs = longMs
      const atMs = Date.parse(step.time)
      const beganMs = beginOf(atMs, step.durationMs, stepMs)
      const series = seriesOf(step)
      for (const watch of targets) {
        if (beganMs >= sinceOf(this.#source, watch.subject.namespace)) watch.addPast(this.#slotMs, atMs, series)
      }
    })
    return stepMs
  }

  /** Adds what came after the creation in the step that holds it. `before`: the steps that were read, and up to when. */
  async readFirst(targets: readonly Watch[], createdMs: number, before: { stepMs: number; toMs: number }) {
    let { stepMs, toMs } = before
    for (const finerMs of STEPS_MS.filter((one) => one < stepMs)) {
      // The next step ends later than this.
      toMs = Math.min(toMs, Math.ceil(createdMs / stepMs) * stepMs + LATE_MS - 1)
      if (toMs <= createdMs) return
      stepMs = await this.read(targets, { fromMs: createdMs, toMs }, finerMs)
    }
  }
}

/** Since when the namespace has its name. */
const sinceOf = ({ ids }: AlertSource, namespace = ''): number => ids.tenureOf(namespace).sinceMs

/** A step with a gap lasts shorter than its slot, and one with a pause of the process begins before it. */
function beginOf(atMs: number, durationMs: number, stepMs: number): number {
  const beganMs = atMs - durationMs
  return stepMs <= 1000 ? beganMs : Math.min(beganMs, Math.floor((atMs - LATE_MS) / stepMs) * stepMs)
}

function byNamespace(targets: readonly Watch[]): Map<string, Watch[]> {
  const found = new Map<string, Watch[]>()
  for (const target of targets) {
    const name = target.subject.namespace ?? ''
    found.set(name, [...(found.get(name) ?? []), target])
  }
  return found
}

/** Which series targets count, as far as a query can say it. */
function seriesFor(watches: readonly Watch[]): Pick<PastQuery, 'namespace' | 'op'> {
  const namespaces = new Set(watches.map(({ subject }) => subject.namespace ?? ''))
  const ops = new Set(watches.map(({ rule }) => rule.target?.op ?? 'all'))
  const [[namespace], [op]] = [namespaces, ops]
  return {
    ...(namespaces.size === 1 && namespace !== undefined && { namespace }),
    ...(ops.size === 1 && op !== undefined && op !== 'all' && op !== 'reads' && op !== 'writes' && { op }),
  }
}
