// Scans of the lab: they end with what the engine says, too late, or with the run.
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { CallError, type Caller, callerOf } from '../../src/lab/caller.js'
import type { Bench } from '../../src/lab/experiment.js'
import { switchIndex } from '../../src/lab/measure/jobs.js'
import { measure } from '../../src/lab/measure/load.js'
import { scan } from '../../src/lab/measure/scan.js'
import { useGateway } from '../gateway.js'
import { noStreams } from './caller.js'

describe('a scan', () => {
  const gateway = useGateway()
  const stop = new AbortController()
  const bench = (signal = stop.signal): Bench => ({
    api: callerOf(gateway().app),
    scale: 'quick',
    prefix: 'lab',
    signal,
    progress: () => undefined,
  })
  /** Slow enough that it goes on for minutes. */
  const slow = { set: 'a', recordsPerSecond: 10 }

  beforeAll(async () => {
    await bench().api.call('POST', '/namespaces', { name: 'ns', storage: { engine: 'memory' }, singleBin: true })
    await measure(bench(), { namespace: 'ns', set: 'a', workload: 'I', object: 'B:100', keys: 2000, threads: 2 })
  })

  const running = async () =>
    (await gateway().ok<{ items: object[] }>('GET /api/v1/jobs?kind=scan&state=running')).items.length

  test('says what it met, by its index or without', async () => {
    expect(await scan(bench(), 'ns', { set: 'a' })).toMatchObject({ returned: 2000, method: 'set-column' })
    expect(await switchIndex(bench(), 'ns', 'a', true)).toBeGreaterThan(0)
    expect(await switchIndex(bench(), 'ns', 'a', true)).toBeGreaterThan(0)
    expect(await scan(bench(), 'ns', { set: 'a' })).toMatchObject({ returned: 2000, method: 'set-index' })
    expect(await switchIndex(bench(), 'ns', 'a', false)).toBe(0)
    expect(await switchIndex(bench(), 'ns', 'a', false)).toBe(0)
  })

  test('that takes too long is stopped and says nothing', async () => {
    expect(await scan(bench(), 'ns', { ...slow, mostMs: 20 })).toBeUndefined()
    expect(await running()).toBe(0)
  })

  test('ends with the run', async () => {
    const run = new AbortController()
    const going = scan(bench(run.signal), 'ns', slow)
    await expect.poll(running).toBe(1)
    run.abort(new Error('enough'))
    await expect(going).rejects.toThrow('enough')
    expect(await running()).toBe(0)
    await expect(scan(bench(run.signal), 'ns', slow)).rejects.toThrow('enough')
    const late = new AbortController()
    const begun = scan(bench(late.signal), 'ns', slow)
    late.abort(new Error('at once'))
    await expect(begun).rejects.toThrow('at once')
    expect(await running()).toBe(0)
  })

  test('that cannot be says why', async () => {
    await expect(scan(bench(), 'ns', { set: 'none' })).rejects.toMatchObject({ code: 'set_not_found' })
  })
})

describe('a scan that cannot be stopped', () => {
  /** A gateway that closes: it takes no further call, and the scan goes on until `end`. */
  function closing() {
    let end: (error: Error) => void = () => undefined
    const answer = new Promise<never>((_, reject) => (end = reject))
    const refused: string[] = []
    const api: Caller = {
      ...noStreams,
      call: (method, path) => {
        if (method === 'POST') return answer
        refused.push(path)
        return Promise.reject(new Error('closed'))
      },
    }
    return { api, end: () => end(new CallError('aborted', 'aborted')), refused }
  }

  test.each([
    ['the run', undefined, new Error('enough')],
    ['its time', 1, undefined],
  ])('ends with its own answer, and with no rejection before: %s is over', async (_, mostMs, outcome) => {
    const { api, end, refused } = closing()
    const stop = new AbortController()
    const bench: Bench = { api, scale: 'quick', prefix: 'lab', signal: stop.signal, progress: () => undefined }
    const going = scan(bench, 'ns', { set: 'a', ...(mostMs !== undefined && { mostMs }) })
    if (mostMs === undefined) stop.abort(new Error('enough'))
    await expect.poll(() => refused.length).toBe(1)
    // A rejection that nobody handles is told at the end of a turn, and fails this test.
    await setImmediate()
    end()
    expect(await going.catch((error: unknown) => error)).toEqual(outcome)
  })
})
