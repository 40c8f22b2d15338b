import type { Workload } from '../../../api/types'
import type { Range } from '../../../charts/spec/spec'
import { clock, moment } from '../../../format'
import type { SeriesFilter } from '../../../live/filter'
import { KEPT_MS } from '../../../live/window'
import { t } from '../../../language/text'

/** With what a span is compared, as the address has it: `before`, `day`, `run:` and an id, or a pinned span `from..to`. */
export type With = string

export interface OtherSpan {
  words: string
  range: Range
  filter: SeriesFilter
  /** the run that was chosen */
  run?: string
}

const DAY_MS = 86_400_000
const RUN = 'run:'
const PIN = /^(\d{1,15})\.\.(\d{1,15})$/

export function withOf(value: unknown): With | undefined {
  if (typeof value !== 'string') return undefined
  const isKnown = value === 'before' || value === 'day' || pinned(value) !== undefined
  return isKnown || /^run:[0-9A-Za-z]{1,64}$/.test(value) ? value : undefined
}

export const pinOf = ({ from, to }: Range): With => `${Math.round(from)}..${Math.round(to)}`

function pinned(text: With): Range | undefined {
  const [from = NaN, to = NaN] = (PIN.exec(text) ?? []).slice(1).map(Number)
  return to > from ? { from, to } : undefined
}

/** Runs whose time the history still has. */
export const knownRuns = (runs: readonly Workload[], nowMs: number): Workload[] =>
  runs.filter((run) => (timeOf(run)?.from ?? 0) > nowMs - KEPT_MS)

/** When a run was measured: its end, without the filling before it. */
function timeOf({ endedAt, result }: Workload): Range | undefined {
  if (endedAt === undefined || result === undefined) return undefined
  const to = Date.parse(endedAt)
  return { from: to - result.elapsedSeconds * 1000, to }
}

/** The span that another is compared with; undefined if there is none, for example because a run is gone. */
export function otherSpan(
  chosen: With,
  range: Range,
  filter: SeriesFilter,
  runs: readonly Workload[],
): OtherSpan | undefined {
  const { from, to } = range
  if (chosen === 'before') return { words: t('the span before'), range: { from: from - (to - from), to: from }, filter }
  if (chosen === 'day') return { words: t('a day earlier'), range: { from: from - DAY_MS, to: to - DAY_MS }, filter }
  const pin = pinned(chosen)
  if (pin !== undefined) return { words: spanWords(pin), range: pin, filter }
  const run = runs.find(({ id }) => RUN + id === chosen)
  const time = run && timeOf(run)
  if (run === undefined || time === undefined) return undefined
  // A run works in the engine, so no request of it comes through the gateway.
  return {
    words: runWords(run),
    range: time,
    run: run.id,
    filter: { ...filter, namespace: run.spec.namespace, side: 'engine' },
  }
}

/** The choices of what a span can be compared with. */
export function withChoices(chosen: With | undefined, runs: readonly Workload[]): { value: With; label: string }[] {
  const pin = chosen === undefined ? undefined : pinned(chosen)
  return [
    { value: '', label: t('nothing') },
    { value: 'before', label: t('the span before') },
    { value: 'day', label: t('the same time a day earlier') },
    ...(pin === undefined || chosen === undefined
      ? []
      : [{ value: chosen, label: t('pinned: {pin}', { pin: spanWords(pin) }) }]),
    ...runs.map((run) => ({ value: RUN + run.id, label: t('run: {run}', { run: runWords(run) }) })),
  ]
}

const runWords = ({ spec, createdAt }: Workload): string =>
  `${spec.name ?? spec.workload ?? 'benchmark'}, ${moment(Date.parse(createdAt))}`

/** "13:00:05 – 13:01:00", with days if the span is long or not of today. */
export function spanWords({ from, to }: Range): string {
  const isToday = new Date(from).toDateString() === new Date().toDateString()
  const text = isToday && to - from < DAY_MS / 2 ? clock : moment
  return `${text(from)} – ${text(to)}`
}
