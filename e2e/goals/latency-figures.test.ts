import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logIn, openBrowser, withPage } from '../browser/browser.ts'
import { numbersOf } from '../browser/charts.ts'
import { openSite, type Site } from '../browser/site.ts'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, startGateway } from '../gateway/gateway.ts'
import { type Counts, merged, nothing, quantileOf, shareOf } from '../gateway/histogram.ts'
import { type Point, pointsOf } from '../gateway/history-files.ts'
import { isLong } from '../gateway/long.ts'

// Every latency figure of the API and of the Live page equals what is worked out by hand from the raw histograms. Those
// are read from the files of the history after `kill -9`, and each figure is asked for before it, after it, or both.

interface Series {
  readonly namespace: string
  readonly op: string
  readonly outcome: string
  readonly side: string
  readonly count: number
  readonly sumNs: number
  readonly sumSquaresNs: number
  readonly maxNs: number
  readonly overflow: number
  readonly slo: readonly number[]
  readonly buckets: readonly number[]
}

interface Frame {
  readonly seq: number
  readonly time: string
  readonly durationMs: number
  readonly latency: readonly Series[]
}

/** A page as it was: its charts as CSV, and the texts of its table. */
interface Shown {
  readonly latency: Record<string, string>[]
  readonly shares: Record<string, string>[]
  readonly percentiles: Record<string, string>[]
  readonly table: Record<string, string>
}

const seconds = { '1s': 1, '5s': 5, '15s': 15, '1m': 60 } as const
type Step = keyof typeof seconds
/** The end of a minute is a minute away. */
const steps: readonly Step[] = isLong ? ['1s', '5s', '15s', '1m'] : ['1s', '5s', '15s']
const longest = seconds[steps.at(-1) ?? '1s']
/** A frame ends at a whole second or a little later. */
const LATE_MS = 500
/** Seconds of ours that a step of the longest kind must have. */
const LEAST_SECONDS = 5
/** Seconds that the page shows live before it is read. */
const WATCHED_SECONDS = 5
const GETS = 'shop get ok engine'

let site: Site
let again: Gateway | undefined
let killedMs = 0
/** What was sent live, and what the history said, by step, before the kill and after it. */
const live = new Map<number, Frame>()
const before = {} as Record<Step, Frame[]>
const after = {} as Record<Step, Frame[]>
/** What the files have, by the seconds of their tier. */
const points = {} as Record<Step, Point[]>
let prometheus = ''
let shownLive: Shown
let shownSelected: Shown
let shownIn15s: Record<string, string>[]

const slotOf = (timeMs: number, seconds: number): number => Math.floor((timeMs - LATE_MS) / 1000 / seconds)

function history(gateway: Gateway, step: Step, toMs: number): Promise<Frame[]> {
  const path = `/api/v1/metrics/history?step=${step}&to=${new Date(toMs).toISOString()}`
  return call<{ items: Frame[] }>(gateway, 'GET', path).then(({ items }) => items)
}

async function histories(gateway: Gateway, into: Record<Step, Frame[]>, toMs: number): Promise<void> {
  for (const step of steps) into[step] = await history(gateway, step, toMs)
}

/** Keeps each frame that is sent, until the stream ends. */
async function listen(gateway: Gateway): Promise<void> {
  const { body } = await send(gateway, 'GET', '/api/v1/live?topics=latency', undefined, 'text/event-stream')
  const [reader, decoder] = [body?.getReader(), new TextDecoder()]
  let text = ''
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const events = (text + decoder.decode(read.value, { stream: true })).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      const frame = data === undefined ? undefined : (JSON.parse(data) as Frame)
      if (frame !== undefined) live.set(frame.seq, frame)
    }
  }
}

/** Requests of all kinds through the gateway, beside the workload in the engine. */
async function work(gateway: Gateway, stopped: AbortSignal): Promise<void> {
  const shop = '/api/v1/namespaces/shop'
  for (let n = 0; !stopped.aborted; n += 1) {
    await send(gateway, 'PUT', `${shop}/sets/carts/records/c${n % 50}`, { n, text: 'x'.repeat(n % 3000) })
    await send(gateway, 'GET', `${shop}/sets/carts/records/c${n % 90}`)
    if (n % 20 === 0) await (await send(gateway, 'POST', `${shop}/scan`, { set: 'carts' })).text()
  }
}

async function writtenBytes(gateway: Gateway): Promise<number> {
  return (await call<{ history: { bytes: number } }>(gateway, 'GET', '/api/v1/status')).history.bytes
}

async function untilWritten(gateway: Gateway): Promise<void> {
  const written = await writtenBytes(gateway)
  await expect.poll(() => writtenBytes(gateway)).toBeGreaterThan(written)
}

async function shownOn(page: Page): Promise<Shown> {
  const table = page.locator('table.selection', { has: page.locator('tbody[aria-busy="false"]') })
  await table.waitFor()
  const rows = await table
    .getByRole('row')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
  return {
    latency: await numbersOf(page, 'Latency'),
    shares: await numbersOf(page, 'Within target'),
    percentiles: await numbersOf(page, 'Percentiles'),
    table: Object.fromEntries(rows.map(([name = '', value = '']) => [name, value])),
  }
}

const newest = (): Frame | undefined => [...live.values()].at(-1)

beforeAll(async () => {
  site = await openSite()
})

test('seconds under load are recorded, a page is read meanwhile, and another after a kill', async () => {
  const { gateway } = site
  const listening = listen(gateway).catch(() => undefined)
  for (const [name, engine] of Object.entries({ shop: 'memory', ledger: 'device' })) {
    await createNamespace(gateway, { name, storage: { engine } })
    const load = { namespace: name, keys: 2000, threads: 2, fill: true, targetTps: 1000, durationSeconds: 3600 }
    await call(gateway, 'POST', '/api/v1/workloads', load)
  }
  const stop = new AbortController()
  const working = work(gateway, stop.signal)
  // What goes wrong is told when the work is stopped.
  working.catch(() => undefined)

  await withPage(site, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${gateway.url}/live?ns=shop&op=get&window=1m`)
    await page.locator('table.selection').waitFor()
    const from = newest()?.seq ?? 0
    await expect.poll(() => newest()?.seq).toBeGreaterThan(from + WATCHED_SECONDS)
    // The page may be behind.
    const busy = async () => (await numbersOf(page, 'Within target')).filter(({ n = '' }) => Number(n) > 0)
    await expect.poll(async () => (await busy()).length).toBeGreaterThan(WATCHED_SECONDS)
    await page.getByRole('button', { name: 'Pause' }).click()
    shownLive = await shownOn(page)
  })

  // A step of the longest kind ends that has some seconds of ours.
  const early = [...live.values()][LEAST_SECONDS]
  const slotAt = (frame: Frame | undefined): number => slotOf(Date.parse(frame?.time ?? ''), longest)
  await expect.poll(() => slotAt(newest()), { timeout: 90_000 }).toBeGreaterThan(slotAt(early))
  // It may have ended early. The first second of a stream is not always whole.
  const told = () => [...live.values()].filter(({ latency = [] }) => latency.length > 0).length
  await expect.poll(told).toBeGreaterThan(WATCHED_SECONDS + LEAST_SECONDS + 1)

  stop.abort()
  await working
  const { items } = await call<{ items: { id: string }[] }>(gateway, 'GET', '/api/v1/workloads')
  for (const { id } of items) await call(gateway, 'DELETE', `/api/v1/workloads/${id}`)
  await expect.poll(() => newest()?.latency).toEqual([])
  prometheus = await (await send(gateway, 'GET', '/metrics', undefined, 'text/plain')).text()
  await untilWritten(gateway)
  await histories(gateway, before, Date.now())
  await untilWritten(gateway)
  killedMs = Date.now()
  await gateway.stop('SIGKILL')
  await listening
  for (const step of steps) points[step] = pointsOf(gateway.home, seconds[step])

  again = await startGateway(gateway.home)
  await histories(again, after, killedMs)
  const browser = await openBrowser()
  const visitor = { browser, session: await logIn(browser, again) }
  await withPage(visitor, { viewport: { width: 1440, height: 900 } }, async (page) => {
    const { from, to } = selection()
    await page.goto(`${again?.url ?? ''}/live?ns=shop&op=get&window=5m#latency.select=${from}..${to}`)
    shownSelected = await shownOn(page)
  })
  await withPage(visitor, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.goto(`${again?.url ?? ''}/live?ns=shop&op=get&window=1h`)
    shownIn15s = await numbersOf(page, 'Latency')
  })
})

afterAll(async () => {
  await again?.stop()
  await site.close()
})

/** Ten seconds in the middle of what was recorded. */
function selection(): { from: number; to: number } {
  const busy = points['1s'].filter(({ latency }) => latency.has(GETS))
  const from = Math.floor((busy[Math.floor(busy.length / 3)]?.timeMs ?? 0) / 1000) * 1000
  return { from, to: from + 10_000 }
}

/** Series as the API gives them, by their names. */
const ofApi = (latency: readonly Series[]): Record<string, unknown> =>
  Object.fromEntries(
    latency.map(({ namespace, op, outcome, side, ...counts }) => [`${namespace} ${op} ${outcome} ${side}`, counts]),
  )

const asApi = (latency: ReadonlyMap<string, Counts>): Record<string, unknown> =>
  Object.fromEntries(
    [...latency].map(([name, { sumNs, sumSquaresNs, buckets, ...counts }]) => [
      name,
      { ...counts, sumNs: Number(sumNs), sumSquaresNs: Number(sumSquaresNs), buckets: [...buckets].flat() },
    ]),
  )

function sumOf(parts: readonly Point[]): Map<string, Counts> {
  const names = new Set(parts.flatMap(({ latency }) => [...latency.keys()]))
  return new Map([...names].map((name) => [name, merged(parts.map(({ latency }) => latency.get(name) ?? nothing))]))
}

function grouped<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

/** The seconds of the files in slots of so many, by the number of the newest one. */
function slots(seconds: number): Map<number, Point[]> {
  const groups = grouped(points['1s'], ({ timeMs }) => slotOf(timeMs, seconds))
  return new Map([...groups.values()].map((group) => [group.at(-1)?.seq ?? 0, group]))
}

test('a second is the same live, in the history, and in the files', () => {
  const rows = new Map(before['1s'].map((row) => [row.seq, row]))
  const known = points['1s'].filter(({ latency }) => latency.size > 0)
  expect(known.length).toBeGreaterThan(WATCHED_SECONDS + LEAST_SECONDS)
  expect(known.flatMap(({ latency }) => [...latency.keys()])).toEqual(
    expect.arrayContaining([GETS, 'shop put ok gateway', 'shop scan ok gateway', 'ledger get ok engine']),
  )
  for (const { seq, timeMs, latency } of known) {
    const row = rows.get(seq)
    expect(ofApi(row?.latency ?? []), `${seq}`).toEqual(asApi(latency))
    expect(Date.parse(row?.time ?? '')).toBe(timeMs)
  }
  const sent = [...live.values()].filter(({ seq }) => rows.has(seq))
  expect(sent.length).toBeGreaterThan(WATCHED_SECONDS + LEAST_SECONDS)
  expect(sent.map(pick)).toEqual(sent.map(({ seq }) => pick(rows.get(seq))))
})

const pick = ({ seq, time, durationMs, latency }: Partial<Frame> = {}): Partial<Frame> => ({
  seq: seq ?? 0,
  time: time ?? '',
  durationMs: durationMs ?? 0,
  latency: latency ?? [],
})

test.each(steps.slice(1))(
  'steps of %s are the sums of their seconds, in the files, before and after the kill',
  (step) => {
    expect(points[step].length).toBeGreaterThan(0)
    for (const { first, seq, latency } of points[step]) {
      const inside = points['1s'].filter((second) => second.seq >= first && second.seq <= seq)
      expect(asApi(latency)).toEqual(asApi(sumOf(inside)))
    }
    const sums = slots(seconds[step])
    for (const rows of [before[step], after[step]]) {
      const known = rows.filter(({ seq }) => sums.has(seq))
      // The step at the kill may have lost seconds, or have had more of them.
      expect(known.length).toBeGreaterThanOrEqual(rows.length - 1)
      for (const { seq, latency } of known) expect(ofApi(latency)).toEqual(asApi(sumOf(sums.get(seq) ?? [])))
    }
  },
)

test('a restart changes no second that the files have', () => {
  const kept = before['1s'].filter(({ seq }) => seq <= (points['1s'].at(-1)?.seq ?? 0))
  expect(kept.length).toBe(before['1s'].length)
  expect(after['1s'].slice(0, kept.length).map(pick)).toEqual(kept.map(pick))
})

test('the counters of Prometheus are the sums of all seconds', () => {
  const known = grouped(
    prometheus.matchAll(/^tessera_operation_seconds_(bucket|sum|count)\{(.*)\} (\S+)$/gm),
    ([, , labels = '']) => ['namespace', 'op', 'outcome', 'side'].map((name) => labelOf(labels, name)).join(' '),
  )
  const sums = sumOf(points['1s'])
  expect([...known.keys()].sort()).toEqual([...sums.keys()].sort())
  for (const [name, lines] of known) {
    const { count, sumNs, slo } = sums.get(name) ?? nothing
    const values = lines.map(([, kind = '', labels = '', value]) => [kind + labelOf(labels, 'le'), Number(value)])
    const edges = ['0.00005', '0.0001', '0.00025', '0.0005', '0.001', '0.002', '0.005', '0.01', '0.05', '0.1', '1']
    expect(Object.fromEntries(values), name).toEqual({
      ...Object.fromEntries(edges.map((edge, at) => [`bucket${edge}`, slo[at]])),
      'bucket+Inf': count,
      count,
      sum: Number(sumNs) / 1e9,
    })
  }
})

const labelOf = (labels: string, name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? ''

/** The gets of each column of a chart: those of the frames whose middle lies in it. */
function columns(seconds: number): Map<string, Counts> {
  const ms = seconds * 1000
  const startOf = ({ timeMs, durationMs }: Point): number => Math.floor((timeMs - durationMs / 2) / ms) * ms
  const groups = grouped(points['1s'], (point) => new Date(startOf(point)).toISOString())
  return new Map([...groups].map(([start, group]) => [start, sumOf(group).get(GETS) ?? nothing]))
}

function expectColumns(shown: Record<string, string>[], seconds: number): void {
  const sums = columns(seconds)
  const busy = shown.filter(({ time = '', n = '' }) => Number(n) > 0 && Date.parse(time) + seconds * 1000 <= killedMs)
  // Load that begins shortly before a minute ends fills one column of 15 s.
  expect(busy.length).toBeGreaterThan(0)
  for (const row of busy) {
    const counts = sums.get(row['time'] ?? '') ?? nothing
    expect(row, row['time']).toMatchObject({
      n: String(counts.count),
      'p50 (ns)': String(quantileOf(counts, 1, 2)?.value),
      'p99 (ns)': String(quantileOf(counts, 1, 100)?.value),
      'p99.9 (ns)': String(quantileOf(counts, 1, 1000)?.value),
      'max (ns)': String(counts.maxNs),
    })
  }
}

test('the charts of Live, as they grew, are those of the seconds', () => {
  expectColumns(shownLive.latency, 1)
  const sums = columns(1)
  const busy = shownLive.shares.filter(({ n = '' }) => Number(n) > 0)
  expect(busy.length).toBeGreaterThan(WATCHED_SECONDS)
  for (const row of busy) {
    const counts = sums.get(row['time'] ?? '') ?? nothing
    for (const [name, targetNs] of [
      ['≤ 250 µs', 250e3],
      ['≤ 1 ms', 1e6],
      ['≤ 5 ms', 5e6],
      ['≤ 50 ms', 50e6],
    ] as const)
      expect(row[name]).toBe(String(shareOf(counts, targetNs)))
  }
  const all = merged(busy.map(({ time = '' }) => sums.get(time) ?? nothing))
  expectPercentiles(shownLive.percentiles, all)
  expectTable(shownLive.table, all)
})

test('a selection after the restart has the figures of its seconds, and longer columns those of theirs', () => {
  const { from, to } = selection()
  const inside = [...columns(1)].filter(([start]) => Date.parse(start) >= from && Date.parse(start) < to)
  const all = merged(inside.map(([, counts]) => counts))
  expect(all.count).toBeGreaterThan(0)
  expectPercentiles(shownSelected.percentiles, all)
  expectTable(shownSelected.table, all)
  expectColumns(shownSelected.latency, 1)
  expectColumns(shownIn15s, 15)
})

function expectPercentiles(shown: Record<string, string>[], counts: Counts): void {
  expect(shown.map(({ quantile }) => quantile)).toEqual(expect.arrayContaining(['2', '10', '100', '1000']))
  for (const row of shown) {
    const oneIn = Number(row['quantile'])
    // Places have at most two digits behind the point.
    const { value, low, high } = quantileOf(counts, 100, Math.round(oneIn * 100)) ?? {}
    expect(row).toMatchObject({
      'selection (ns)': String(value),
      'selection, at least (ns)': String(low),
      'selection, at most (ns)': String(high),
    })
  }
}

function expectTable(table: Record<string, string>, counts: Counts): void {
  const quantiles = { p50: 2, p90: 10, p95: 20, p99: 100, 'p99.9': 1000, 'p99.99': 10_000 }
  const values: Record<string, number> = {
    n: counts.count,
    mean: Number(counts.sumNs) / counts.count,
    ...Object.fromEntries(
      Object.entries(quantiles).map(([name, of]) => [name, quantileOf(counts, 1, of)?.value ?? Number.NaN]),
    ),
    max: counts.maxNs,
    '≤ 250 µs': shareOf(counts, 250e3),
    '≤ 1 ms': shareOf(counts, 1e6),
    errors: 0,
  }
  for (const [name, value] of Object.entries(values))
    expect(shows(table[name] ?? '', value), `${name}: ${table[name]} of ${value}`).toBe(true)
}

/** Whether a text says a value as exactly as its digits can. */
function shows(text: string, value: number): boolean {
  const [, relation, digits = '', unit = ''] = /^([<>]?) ?([\d.,]+) ?(\D*)$/.exec(text) ?? []
  const scale = { '': 1, '%': 0.01, ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit] ?? Number.NaN
  const said = Number(digits.replaceAll(',', '')) * scale
  if (relation === '<') return value <= said
  if (relation === '>') return value > said && value < scale * 100
  const last = 10 ** -(digits.split('.')[1] ?? '').length * scale
  return Math.abs(value - said) <= last * 0.5 * (1 + 1e-9)
}
