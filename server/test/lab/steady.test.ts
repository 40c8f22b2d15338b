// The search on a namespace: its runs are added up, only the one that closes is kept, and progress is told.
import { expect, test } from 'vitest'
import type { Caller } from '../../src/lab/caller.js'
import { findSteady } from '../../src/lab/measure/steady.js'
import type { WorkloadSpec } from '../../src/schemas/jobs/workloads.js'
import { english } from '../../src/sentences/sentence.js'
import { runAt, type Shown } from './rates.js'
import { noStreams } from './caller.js'

const disk = { reads: {}, writes: {}, queueMs: 0 }

/** A gateway on which runs end at once, as `shown` says. */
function gateway(shown: (spec: WorkloadSpec) => Shown) {
  const begun: WorkloadSpec[] = []
  const forgotten: string[] = []
  const api: Caller = {
    ...noStreams,
    call: <T>(method: string, path: string, body?: object) => {
      if (path.includes('/device?')) return Promise.resolve({ disks: [disk] } as T)
      if (method === 'DELETE') {
        forgotten.push(path)
        return Promise.resolve({} as T)
      }
      const spec = body as WorkloadSpec
      const seconds = spec.durationSeconds ?? 0
      const { result } = runAt(spec.targetTps ?? 0, { ...shown(spec), seconds })
      const run = { id: String(begun.push(spec)), state: 'done', endedAt: 'now', result }
      return Promise.resolve(run as T)
    },
  }
  return { api, begun, forgotten }
}

const pace = { run: 1, least: 2, patience: 4, closing: 4 }
const base: WorkloadSpec = { namespace: 'ns', object: 'B:1000' }

async function find(shown: (spec: WorkloadSpec) => Shown, time = 20) {
  const { api, begun, forgotten } = gateway(shown)
  const told: string[] = []
  const found = await findSteady({
    bench: { api, scale: 'quick', prefix: 'lab', signal: new AbortController().signal, progress: () => undefined },
    base,
    pace,
    shapes: [
      { threads: 2, window: 1 },
      { threads: 8, window: 1 },
    ],
    first: 520.4,
    peak: 1000,
    says: (text) => told.push(english(text)),
    left: () => time - begun.reduce((sum, spec) => sum + (spec.durationSeconds ?? 0), 0),
  })
  return { found, begun, forgotten, told }
}

test('the shape that does best is kept, and the rate that holds is closed under a name', async () => {
  const { found, begun, forgotten, told } = await find(({ threads, targetTps = 0 }) => ({
    reads: threads === 8 && targetTps <= 700 ? 99 : 60,
  }))
  const { steady, held } = found
  expect([held, steady.shape.threads, steady.rate]).toEqual([true, 8, 676])
  expect(steady.runs.map(({ seconds }) => seconds)).toEqual([1, 1, 2])
  expect(begun.map(({ name }) => name).filter((name) => name !== undefined)).toEqual(['lab tps B:1000 at 676/s'])
  expect(begun.slice(0, 2).map(({ threads, targetTps }) => [threads, targetTps])).toEqual([
    [2, 520],
    [8, 520],
  ])
  expect([forgotten.length, told.length]).toEqual([begun.length - 1, begun.length])
  expect(told[0]).toBe('520 per second with 2 threads, 1 s so far: 60.00% of reads and 100.00% of writes within 1 ms')
})

test('an attempt that a stall ended is followed by another, which the row is of', async () => {
  let first = true
  const { found } = await find(({ targetTps }) => {
    const stalls = targetTps === 676 && first
    if (stalls) first = false
    return { reads: stalls || (targetTps ?? 0) > 700 ? 50 : 99 }
  })
  expect([found.held, found.steady.rate, found.steady.attempt]).toEqual([true, 676, 2])
  expect(found.steady.runs.map(({ seconds, result }) => [seconds, result.read.under1msPct])).toEqual([
    [1, 99],
    [1, 99],
    [2, 99],
  ])
})

test('where no rate holds, the last that was tried is shown as not held', async () => {
  const { found, begun } = await find(() => ({ reads: 60 }), 6)
  expect([found.held, found.steady.rate]).toEqual([false, begun.at(-1)?.targetTps])
})
