// What Prometheus reads: totals that live as long as their namespaces, in text and in protobuf.
import protobuf from 'protobufjs/light.js'
import { describe, expect, test, vi } from 'vitest'
import { exponentialIndex, SCHEMA } from '../../src/live/prometheus/exponential.js'
import type { HistogramSample } from '../../src/live/prometheus/family.js'
import { LatencyTotals } from '../../src/live/prometheus/operations.js'
import { messages, PROTOBUF_MEDIA, PROTOBUF_TYPE, protobufOf } from '../../src/live/prometheus/protobuf.js'
import { TEXT_TYPE, textOf } from '../../src/live/prometheus/text.js'
import { atOnce, inTurns, STEPS_A_TURN } from '../../src/live/prometheus/turns.js'
import { type LatencySeries, type MetricsFrame, sloEdgesNs } from '../../src/schemas/server/metrics.js'
import { bearer, useGateway } from '../gateway.js'

/** A frame in which each namespace had one put. */
function frameOf(...namespaces: string[]): MetricsFrame {
  const latency = namespaces.map((namespace): LatencySeries => ({
    namespace,
    op: 'put',
    outcome: 'ok',
    side: 'engine',
    count: 1,
    sumNs: 1000,
    sumSquaresNs: 1_000_000,
    maxNs: 1000,
    overflow: 0,
    slo: sloEdgesNs.map(() => 1),
    buckets: [],
  }))
  return { latency } as unknown as MetricsFrame
}

/** Counts by namespace. */
const counts = (totals: LatencyTotals) =>
  Object.fromEntries(
    [...totals.family().samples].map((sample) => [sample.labels['namespace'], 'count' in sample && sample.count]),
  )

test('the series of a dropped namespace are forgotten, and a new one of its name starts at 0', () => {
  const living = new Set(['a', 'b'])
  const totals = new LatencyTotals(() => [...living])
  totals.add(frameOf('a', 'b'))
  totals.add(frameOf('a', 'b'))
  expect(counts(totals)).toEqual({ a: 2, b: 2 })
  living.delete('a')
  expect(counts(totals)).toEqual({ b: 2 })
  living.add('a')
  expect(counts(totals)).toEqual({ b: 2 })
  totals.add(frameOf('a', 'b'))
  expect(counts(totals)).toEqual({ a: 1, b: 3 })
})

test('they are forgotten although nobody reads them', () => {
  const living = new Set(['a'])
  const totals = new LatencyTotals(() => [...living])
  totals.add(frameOf('a'))
  living.clear()
  living.add('b')
  totals.add(frameOf('b'))
  living.add('a')
  expect(counts(totals)).toEqual({ b: 1 })
})

test('many new series in a frame look for dropped namespaces once', () => {
  const living = vi.fn(() => ['a', 'b', 'c'])
  const totals = new LatencyTotals(living)
  totals.add(frameOf('a', 'b', 'c'))
  totals.add(frameOf('a', 'b', 'c'))
  expect(living).toHaveBeenCalledTimes(1)
})

interface Message {
  name: string
  type: number
  metric: {
    label: { name: string; value: string }[]
    gauge?: { value: number }
    counter?: { value: number }
    histogram?: {
      sampleCount: number
      sampleSum: number
      bucket: { cumulativeCount: number; upperBound: number }[]
      schema: number
      positiveSpan: { offset: number; length: number }[]
      positiveDelta: number[]
    }
  }[]
}

/** The messages of an answer, by name. */
function decoded(bytes: Uint8Array): Map<string, Message> {
  const type = protobuf.Root.fromJSON({ nested: messages }).lookupType('MetricFamily')
  const reader = protobuf.Reader.create(bytes)
  const found = new Map<string, Message>()
  while (reader.pos < reader.len) {
    const message = type.toObject(type.decodeDelimited(reader), { longs: Number, defaults: true }) as Message
    found.set(message.name, message)
  }
  return found
}

/** Counts by index of a bucket, as a reader of native histograms puts them together. */
function bucketsOf({
  positiveSpan,
  positiveDelta,
}: Pick<NonNullable<Message['metric'][0]['histogram']>, 'positiveSpan' | 'positiveDelta'>) {
  const found = new Map<number, number>()
  let [index, count, at] = [0, 0, 0]
  for (const { offset, length } of positiveSpan) {
    index += offset
    for (const delta of positiveDelta.slice(at, at + length)) {
      count += delta
      found.set(index, count)
      index += 1
    }
    at += length
  }
  return found
}

test('each bucket of the engine lies in an exponential one that is less than a bucket away', () => {
  for (const [bucket, index] of exponentialIndex.entries()) {
    const lower = 128e-9 * 2 ** Math.floor(bucket / 16) * (1 + (bucket % 16) / 16)
    const [from, to] = [2 ** ((index - 1) / 8), 2 ** (index / 8)]
    expect(from).toBeLessThan(lower * 1.0625)
    expect(to).toBeGreaterThan(lower)
  }
  expect(exponentialIndex.toSorted((a, b) => a - b)).toEqual(exponentialIndex)
})

test('a native histogram has each operation once, with gaps between its buckets', () => {
  const totals = new LatencyTotals(() => ['shop'])
  const frame = frameOf('shop')
  const [series = expect.unreachable('one')] = frame.latency
  Object.assign(series, { count: 12, overflow: 2, buckets: [48, 3, 49, 4, 300, 3] })
  totals.add(frame)
  const message = decoded(atOnce(protobufOf([totals.family()]))).get('tessera_operation_seconds')
  const { histogram = expect.unreachable('a histogram') } = message?.metric[0] ?? {}
  expect([histogram.sampleCount, histogram.schema]).toEqual([12, SCHEMA])
  const at = (bucket: number) => exponentialIndex[bucket] ?? NaN
  expect([...bucketsOf(histogram)]).toEqual([
    [at(48), 7],
    [at(300), 3],
    [at(464), 2],
  ])
})

describe('many series', () => {
  const names = Array.from({ length: 10 * STEPS_A_TURN }, (_, n) => `n${n}`)
  const totals = new LatencyTotals(() => names)
  totals.add(frameOf(...names))

  test.each([
    ['text', textOf],
    ['protobuf', protobufOf],
  ])('are written as %s a few in a turn of the event loop', async (_, format) => {
    const family = totals.family()
    let [read, before] = [0, 0]
    const [turns, state]: [number[], { over: boolean }] = [[], { over: false }]
    const counted: Iterable<HistogramSample> = {
      *[Symbol.iterator]() {
        for (const sample of family.samples as Iterable<HistogramSample>) {
          read += 1
          yield sample
        }
      },
    }
    const written = inTurns(format([{ ...family, type: 'histogram', samples: counted }])).finally(
      () => (state.over = true),
    )
    while (!state.over) {
      turns.push(read - before)
      before = read
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(read).toBe(names.length)
    expect(turns.length).toBeGreaterThanOrEqual(10)
    expect(Math.max(...turns)).toBeLessThanOrEqual(STEPS_A_TURN + 1)
    expect(await written).toEqual(atOnce(format([family])))
  })
})

describe('GET /metrics', () => {
  const gateway = useGateway()

  test('answers the same figures in text and in protobuf', async () => {
    await gateway().memoryNamespace('shop')
    const ready = 'tessera_namespace_ready{namespace="shop"} 1'
    // The first frame with the namespace brings its alerts; before it there are none to count.
    const text = await vi.waitFor(
      async () => {
        const answer = (await gateway().send('GET /metrics')).text
        expect(answer).toContain('tessera_alerts{')
        return answer
      },
      { timeout: 30_000, interval: 100 },
    )
    expect(text).toContain(ready)
    const accept = `${PROTOBUF_MEDIA};proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.2`
    const { headers, rawPayload } = await gateway().app.inject({ url: '/metrics', headers: { accept, ...bearer } })
    expect(headers).toMatchObject({ 'content-type': PROTOBUF_TYPE, vary: 'Accept' })
    const families = decoded(rawPayload)
    expect(families.get('tessera_namespace_ready')?.metric).toMatchObject([
      { label: [{ name: 'namespace', value: 'shop' }], gauge: { value: 1 } },
    ])
    const named = [...text.matchAll(/^(tessera_\w+?)(?:_bucket|_sum|_count)?[ {]/gm)].map(([, name]) => name ?? '')
    expect([...families.keys()].toSorted()).toEqual([...new Set(named)].toSorted())
  })

  test('is made once for all who ask while it is made, and anew for who asks later', async () => {
    await gateway().memoryNamespace('early')
    const made = vi.spyOn(gateway().app.alerts, 'standings')
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway().send('GET /metrics')))
    expect(made).toHaveBeenCalledTimes(1)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    await gateway().memoryNamespace('late')
    expect((await gateway().send('GET /metrics')).text).toContain('tessera_namespace_ready{namespace="late"} 1')
    made.mockRestore()
  })

  test('that fails is asked for anew', async () => {
    const made = vi.spyOn(gateway().app.alerts, 'standings').mockImplementationOnce(() => {
      throw new Error('closing')
    })
    expect((await gateway().send('GET /metrics')).status).toBe(500)
    expect((await gateway().send('GET /metrics')).status).toBe(200)
    made.mockRestore()
  })

  test.each(['', '*/*', 'text/plain', 'text/plain, application/vnd.google.protobuf;q=0.1'])(
    'answers text to %s',
    async (accept) => {
      const { headers } = await gateway().send('GET /metrics', { headers: { accept } })
      expect(headers).toMatchObject({ 'content-type': TEXT_TYPE, vary: 'Accept' })
    },
  )
})
