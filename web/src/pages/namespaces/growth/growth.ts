import type { Namespace, Status } from '../../../api/types'
import type { ChartSpec } from '../../../charts/spec/spec'
import { duration } from '../../../format'
import { t } from '../../../language/text'

const HOUR_MS = 3_600_000
/** Younger than this, a namespace has little to show in a day. */
const YOUNG_MS = 6 * HOUR_MS
const DAY_MS = 24 * HOUR_MS

/** The spans over which growth is shown. */
export const spans = {
  '1h': { label: '1 h', words: t('the last hour'), ms: HOUR_MS },
  '6h': { label: '6 h', words: t('the last 6 hours'), ms: 6 * HOUR_MS },
  '24h': { label: '24 h', words: t('the last 24 hours'), ms: DAY_MS },
  '7d': { label: '7 d', words: t('the last 7 days'), ms: 7 * DAY_MS },
  '30d': { label: '30 d', words: t('the last 30 days'), ms: 30 * DAY_MS },
} as const
export type SpanName = keyof typeof spans

/** The span that is shown first. */
export const firstSpan = (createdAt: string, nowMs: number): SpanName =>
  nowMs - Date.parse(createdAt) < YOUNG_MS ? '1h' : '24h'

/** Whether a range is long enough to show growth. */
export const isSpan = (range: string | undefined): range is SpanName =>
  range !== undefined && Object.hasOwn(spans, range)

/** What a namespace held at a time; null: no frame says it. */
export interface Size {
  atMs: number
  records: number | null
  bytes: number | null
}

interface History {
  items: readonly { time: string; sizes: readonly { namespace: string; records: number; bytes: number }[] }[]
  from: string
  to: string
  stepSeconds: number
}

/** The sizes of a namespace, one for each step of the history, gaps included. */
export function sizesOf({ items, from, to, stepSeconds }: History, namespace: string): Size[] {
  const stepMs = stepSeconds * 1000
  const slot = (timeMs: number): number => Math.floor(timeMs / stepMs)
  const known = new Map<number, Size>()
  for (const { time, sizes } of items) {
    const size = sizes.find((one) => one.namespace === namespace)
    // A frame ends at a whole step or slightly later.
    const at = slot(Date.parse(time) - 1)
    if (size !== undefined) known.set(at, { atMs: at * stepMs, records: size.records, bytes: size.bytes })
  }
  const [first, last] = [slot(Date.parse(from)), slot(Date.parse(to))]
  // The slot that is still open may have a size already.
  const slots = last - first + (known.has(last) ? 1 : 0)
  return Array.from({ length: Math.max(0, slots) }, (_, index) => {
    const atMs = (first + index) * stepMs
    return known.get(first + index) ?? { atMs, records: null, bytes: null }
  })
}

/** Fewer sizes say nothing about growth. */
const LEAST_SIZES = 5
/** Sizes that follow a line less closely say nothing about the future. */
const LEAST_FIT = 0.8

/** A line through sizes: bytes per day, how closely the sizes follow it (0 to 1), and its value at a time. */
export interface Trend {
  perDay: number
  fit: number
  at: (timeMs: number) => number
}

/** The line of least squares; undefined if there are too few sizes. */
export function trendOf(sizes: readonly Size[]): Trend | undefined {
  const points = sizes.flatMap(({ atMs, bytes }) => (bytes === null ? [] : [{ x: atMs / DAY_MS, y: bytes }]))
  if (points.length < LEAST_SIZES) return undefined
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const across = mean((point) => (point.x - x) ** 2)
  const perDay = mean((point) => (point.x - x) * (point.y - y)) / across
  const up = mean((point) => (point.y - y) ** 2)
  return {
    perDay,
    fit: up === 0 ? 1 : (perDay ** 2 * across) / up,
    at: (timeMs) => y + perDay * (timeMs / DAY_MS - x),
  }
}

interface Room {
  bytes: number
  /** what ends it: writes stop, the shared memory or the disk is full */
  until: 'writes' | 'memory' | 'disk'
  /** whether the room is in pages, which records fill with gaps and share with the index */
  inPages: boolean
}

/** How many bytes of records a namespace has room for; undefined without a limit. */
export function roomOf(
  { config, limits }: Pick<Namespace, 'config' | 'limits'>,
  disk: Pick<Status, 'diskFreeBytes'> | undefined,
): Room | undefined {
  if (limits === undefined) return undefined
  const inPages = config.storage.engine === 'paged'
  const { usedBytes, capacityBytes, sharedLimitBytes, sharedUsedBytes = 0 } = limits
  if (capacityBytes !== undefined) {
    const most = capacityBytes * ((config.stopWritesPercent ?? 100) / 100)
    return { bytes: Math.max(0, most - usedBytes), until: 'writes', inPages }
  }
  if (sharedLimitBytes !== undefined)
    return { bytes: Math.max(0, sharedLimitBytes - sharedUsedBytes), until: 'memory', inPages }
  if (config.storage.engine === 'memory' || disk === undefined) return undefined
  return { bytes: disk.diskFreeBytes, until: 'disk', inPages }
}

/** When a namespace will be full, in a sentence. */
export function fullWords(trend: Trend | undefined, room: Room | undefined, span: string): string {
  if (trend === undefined) return t('There is not enough data of {span} to show growth.', { span })
  if (trend.perDay <= 0) return t('It did not grow in {span}.', { span })
  if (trend.fit < LEAST_FIT)
    return t('It did not grow evenly in {span}, so the console cannot predict when it will be full.', { span })
  if (room === undefined) return t('It has no limit.')
  if (room.bytes === 0)
    return t(
      '{until, select, writes {It is full: writes stop.} memory {It is full: the shared memory is full.} other {It is full: the disk is full.}}',
      { until: room.until },
    )
  const days = room.bytes / trend.perDay
  if (days > MOST_DAYS)
    return t(
      '{until, select, writes {At the pace of {span}, it takes more than 10 years until writes stop.} memory {At the pace of {span}, it takes more than 10 years until the shared memory is full.} other {At the pace of {span}, it takes more than 10 years until the disk is full.}}',
      { span, until: room.until },
    )
  const words = t(
    '{until, select, writes {At the pace of {span}, it takes about {days} until writes stop.} memory {At the pace of {span}, it takes about {days} until the shared memory is full.} other {At the pace of {span}, it takes about {days} until the disk is full.}}',
    { span, days: roughly(days), until: room.until },
  )
  return room.inPages ? `${words} ${IN_PAGES}` : words
}

const MOST_DAYS = 3650
const IN_PAGES = t('This is approximate: pages also hold the index and have gaps, and the pace counts only records.')

function roughly(days: number): string {
  if (days >= 2) return t('{days} days', { days: Math.round(days) })
  return duration(days * 86_400)
}

/** Bytes over time, and the line that they follow. */
export function growthSpec(sizes: readonly Size[], trend: Trend | undefined, name: SpanName): ChartSpec {
  const values = sizes.map(({ atMs }) => atMs)
  const step = (values[1] ?? 1) - (values[0] ?? 0)
  return {
    x: { name: t('time'), scale: 'time', format: spans[name].ms > DAY_MS ? 'moment' : 'clock', values, step },
    y: { scale: 'linear', format: 'bytes' },
    series: [
      { id: 'records', name: t('stored'), colour: 1, look: 'area', values: sizes.map(({ bytes }) => bytes) },
      {
        id: 'trend',
        name: t('trend'),
        colour: 5,
        values: sizes.map(({ atMs, bytes }) =>
          trend === undefined || bytes === null ? null : Math.max(0, trend.at(atMs)),
        ),
      },
    ],
    facts: [{ name: t('number of records'), format: 'count', values: sizes.map(({ records }) => records) }],
  }
}
