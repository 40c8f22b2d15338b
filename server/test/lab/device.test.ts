// What the disks did during a run is the difference of two looks at their counters.
import { expect, test } from 'vitest'
import { figures, watchDevice } from '../../src/lab/measure/device.js'
import type { Caller } from '../../src/lab/caller.js'
import { noStreams } from './caller.js'

const operations = (count: number, bytes: number, totalMs: number) => ({ count, bytes, totalMs })
const disk = (times: number) => ({
  reads: operations(100 * times, 400_000 * times, 20 * times),
  writes: operations(20 * times, 2_600_000 * times, 40 * times),
  syncs: operations(times, 0, 90 * times),
  queueMs: 150 * times,
})

test.each([
  ['two disks at work', 3, { readMBps: 0.8, writeMBps: 5.2, queueDepth: 0.3, latencyMs: 0.5 }],
  ['idle disks', 1, { readMBps: 0, writeMBps: 0, queueDepth: 0, latencyMs: 0 }],
])('%s', async (_, times, expected) => {
  const looks = [1, times].map((each) => ({ disks: [disk(each), disk(each)] }))
  const asked: string[] = []
  const api: Caller = {
    ...noStreams,
    call: <T>(method: string, path: string) => {
      asked.push(`${method} ${path}`)
      return Promise.resolve(looks[asked.length - 1] as T)
    },
  }
  const since = await watchDevice({ api }, 'ns')
  const did = await since()
  expect(figures([did], 2)).toEqual(expected)
  expect(figures([did, did], 4)).toEqual(expected)
  expect(asked).toEqual(Array(2).fill('GET /namespaces/ns/device?cells=0'))
})
