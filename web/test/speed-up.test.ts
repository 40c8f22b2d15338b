import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Job } from '../src/api/types'
import { type Jobs, SpeedUp, type SpeedUpState, speedUpRows, turns } from '../src/pages/scans/speed-up'
import { tableOf } from '../src/charts/spec/table'
import { speedUpSpec } from '../src/pages/scans/speed-up-spec'
import { SpeedUpCard } from '../src/pages/scans/SpeedUpCard'

const job = (id: string, part: Partial<Job>): Job => ({
  id,
  kind: 'scan',
  namespace: 'n',
  title: 'Scan n',
  parameters: {},
  state: 'running',
  done: 0,
  unit: 'records',
  ratePerSecond: 0,
  threads: 1,
  createdAt: '2026-01-01T00:00:00Z',
  damaged: 0,
  ...part,
})

const ended = (id: string, part: Partial<Job>): Job => job(id, { endedAt: '2026-01-01T00:00:01Z', ...part })

/** A gateway whose scans take 80 ms by one thread, and as much less by more; each ends at the second look. */
class Gateway implements Jobs {
  readonly started: string[] = []
  readonly aborted: string[] = []
  readonly #looks = new Map<string, number>()
  /** the scan that fails, if one does */
  failing: number | undefined
  /** the scan that goes on until it is aborted, if one does */
  endless: number | undefined

  start = async (body: string): Promise<Job> => {
    this.started.push(body)
    return job(String(this.started.length - 1), { threads: Number(body) })
  }

  wait = async (id: string): Promise<Job> => {
    const looks = (this.#looks.get(id) ?? 0) + 1
    this.#looks.set(id, looks)
    if (this.aborted.includes(id)) return ended(id, { state: 'aborted' })
    if (looks < 2 || Number(id) === this.endless) return job(id, {})
    if (Number(id) === this.failing)
      return ended(id, { state: 'failed', error: { code: 'storage_failed', message: 'I/O error' } })
    return ended(id, { state: 'done', result: { elapsedMs: 80 / Number(this.started[Number(id)]), scanned: 4000 } })
  }

  abort = async (id: string): Promise<void> => {
    this.aborted.push(id)
  }
}

const body = (threads: number): string => String(threads)

describe('the speed-up of a scan', () => {
  test('runs on each number of threads in turn, and has a row for each', async () => {
    const gateway = new Gateway()
    const run = new SpeedUp(gateway)
    const phases = new Set<string>()
    run.subscribe(() => phases.add(run.state().phase))
    await run.start(body)
    expect(gateway.started).toEqual(turns.map(String))
    expect(turns).toEqual([1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8])
    expect([...phases]).toEqual(['running', 'done'])
    expect(run.state()).toMatchObject({ phase: 'done', job: undefined, error: undefined })
    expect(speedUpRows(run.state().measured)).toEqual([
      { threads: 1, runs: 3, elapsedMs: 80, recordsPerSecond: 50_000, speedUp: 1 },
      { threads: 2, runs: 3, elapsedMs: 40, recordsPerSecond: 100_000, speedUp: 2 },
      { threads: 4, runs: 3, elapsedMs: 20, recordsPerSecond: 200_000, speedUp: 4 },
      { threads: 8, runs: 3, elapsedMs: 10, recordsPerSecond: 400_000, speedUp: 8 },
    ])
  })

  test('takes medians, and knows nothing of what is not measured', () => {
    const one = (threads: number, elapsedMs: number) => ({ threads, elapsedMs, scanned: 100 })
    const rows = speedUpRows([one(1, 100), one(1, 10), one(1, 20), one(2, 10), one(2, 30)])
    expect(rows.map(({ elapsedMs, speedUp }) => [elapsedMs, speedUp])).toEqual([
      [20, 1],
      [20, 1],
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect(speedUpRows([one(2, 10)])[1]).toMatchObject({ elapsedMs: 10, speedUp: undefined })
  })

  test('ends with the error of a scan that fails, and starts no other', async () => {
    const gateway = new Gateway()
    gateway.failing = 5
    const run = new SpeedUp(gateway)
    await run.start(body)
    const state = run.state()
    expect(gateway.started).toHaveLength(6)
    expect(state).toMatchObject({
      phase: 'failed',
      error: { code: 'storage_failed', message: 'I/O error', threads: 2 },
    })
    expect(state.measured).toHaveLength(5)
    expect(card(state)).toContain('The scan on 2 threads failed storage_failed I/O error')
  })

  test('ends with what the gateway says where a scan does not start', async () => {
    const gateway = new Gateway()
    gateway.start = () => Promise.reject(new Error('there are too many jobs'))
    const run = new SpeedUp(gateway)
    await run.start(body)
    expect(run.state()).toMatchObject({ phase: 'failed', measured: [] })
    expect(card(run.state())).toContain('there are too many jobs')
  })

  test('a stop aborts the scan that goes on, and starts no other', async () => {
    const gateway = new Gateway()
    gateway.endless = 2
    const run = new SpeedUp(gateway)
    const over = run.start(body)
    await new Promise<void>((resolve) => run.subscribe(() => run.state().job?.id === '2' && resolve()))
    run.stop()
    await over
    expect(gateway.aborted).toEqual(['2'])
    expect(gateway.started).toHaveLength(3)
    expect(run.state()).toMatchObject({ phase: 'stopped', job: undefined })
    expect(card(run.state())).toContain('Stopped after 2 of 12 scans.')
  })

  test('a stop while a scan starts aborts that too', async () => {
    const gateway = new Gateway()
    const run = new SpeedUp(gateway)
    const over = run.start(body)
    run.stop()
    await over
    expect(gateway.aborted).toEqual(['0'])
    expect(run.state().phase).toBe('stopped')
  })

  test('aborts a scan that it cannot look at any more, and says why', async () => {
    for (const abortable of [true, false]) {
      const gateway = new Gateway()
      gateway.wait = () => Promise.reject(new Error('the network is away'))
      const { abort } = gateway
      gateway.abort = async (id) => {
        await abort(id)
        if (!abortable) throw new Error('so it is for this')
      }
      const run = new SpeedUp(gateway)
      await run.start(body)
      expect(gateway.aborted).toEqual(['0'])
      expect(run.state()).toMatchObject({ phase: 'failed', job: undefined, error: new Error('the network is away') })
    }
  })

  test('a stop that fails is told while the scan goes on, and may be tried again', async () => {
    const gateway = new Gateway()
    gateway.endless = 0
    const { abort, wait } = gateway
    gateway.abort = () => Promise.reject(new Error('not now'))
    // Each look takes a turn, as that of a gateway does.
    gateway.wait = async (id) => {
      await new Promise((resolve) => setImmediate(resolve))
      return wait(id)
    }
    const run = new SpeedUp(gateway)
    const over = run.start(body)
    await new Promise<void>((resolve) => run.subscribe(() => run.state().job !== undefined && resolve()))
    run.stop()
    await new Promise<void>((resolve) => run.subscribe(() => run.state().error !== undefined && resolve()))
    expect(run.state()).toMatchObject({ phase: 'running', error: new Error('not now') })
    expect(card(run.state())).toContain('not now')
    gateway.abort = abort
    run.stop()
    await over
    expect(gateway.started).toHaveLength(1)
    expect(run.state()).toMatchObject({ phase: 'stopped', error: undefined })
  })

  test('is begun anew', async () => {
    const gateway = new Gateway()
    gateway.endless = 0
    const run = new SpeedUp(gateway)
    const first = run.start(body)
    await new Promise<void>((resolve) => run.subscribe(() => run.state().job !== undefined && resolve()))
    await Promise.all([run.start(body), first])
    expect(gateway.aborted).toEqual(['0'])
    expect(run.state().phase).toBe('done')
    expect(run.state().measured).toHaveLength(12)
  })

  test('is a chart and a table of the same figures', async () => {
    const run = new SpeedUp(new Gateway())
    expect(card(run.state())).not.toContain('median')
    await run.start(body)
    const spec = speedUpSpec(speedUpRows(run.state().measured))
    expect(tableOf(spec, { hidden: [] }).rows).toEqual([
      ['1', '1×', '1×', '80.0 ms', '50.0 k/s', '3'],
      ['2', '2×', '2×', '40.0 ms', '100 k/s', '3'],
      ['4', '4×', '4×', '20.0 ms', '200 k/s', '3'],
      ['8', '8×', '8×', '10.0 ms', '400 k/s', '3'],
    ])
    expect(speedUpSpec(speedUpRows([])).series[0]?.values).toEqual([null, null, null, null])
    expect(card(run.state())).toContain('1 80.0 ms 50.0 k/s 1.00× 3 2 40.0 ms 100 k/s 2.00× 3')
    expect(card(run.state())).toContain('More threads than the 2 cores')
  })
})

const nothing = (): void => undefined

function element(state: SpeedUpState): ReactElement {
  return createElement(SpeedUpCard, { state, valid: true, cpus: 2, onStart: nothing, onStop: nothing })
}

function card(state: SpeedUpState): string {
  return renderToStaticMarkup(element(state))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
