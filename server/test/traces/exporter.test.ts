// What waits for a collector that is away is bounded.
import { afterEach, expect, test } from 'vitest'
import { providerFor } from '../../src/traces/exporter.js'
import { Collector } from './collector.js'

const collector = new Collector()

afterEach(() => collector.close())

test('spans beyond those that wait are dropped while a collector does not answer', async () => {
  let answer = (): void => undefined
  collector.free = new Promise((resolve) => (answer = resolve))
  const endpoint = await collector.open()
  const provider = providerFor({ endpoint: `${endpoint}/`, sample: 1, version: '1.2.3', report: () => undefined })
  const tracer = provider.getTracer('test')
  const spans = (count: number): void => {
    for (let n = 0; n < count; n += 1) tracer.startSpan(`span ${n}`).end()
  }
  spans(512)
  // The collector has the first batch, and does not say so.
  await expect.poll(() => collector.requests.length, { timeout: 20_000 }).toBe(1)
  spans(10_000)
  answer()
  await provider.forceFlush()
  expect(collector.spans.length).toBe(512 + 2048)
  expect(collector.resource).toMatchObject({ 'service.name': 'tessera', 'service.version': '1.2.3' })
  await provider.shutdown()
})
