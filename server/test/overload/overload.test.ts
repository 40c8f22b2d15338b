// A gateway whose event loop is late refuses requests for data, and serves those that tell how it is.
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Problem } from '../../src/schemas/problem.js'
import type { Status } from '../../src/schemas/server/status.js'
import { bearer, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const BLOCK_MS = 80
const CALLERS = 48
const RECORD = '/api/v1/namespaces/n/sets/s/records/a'

describe('overload', () => {
  const begun = Date.now()
  const gateway = useGateway({ loopAlarmMs: 60 })
  let origin: string
  let blocker: NodeJS.Timeout | undefined

  beforeAll(async () => {
    const { app } = gateway()
    await gateway().memoryNamespace('n')
    await gateway().put('n/sets/s/records/a', { i: 1 })
    await app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  })

  afterEach(() => clearInterval(blocker))

  const get = (path: string) => fetch(`${origin}${path}`, { headers: bearer })
  const getMany = (path: string) => Promise.all(Array.from({ length: CALLERS }, () => get(path)))

  /** Keeps the loop busy, as work does that takes too long. */
  function blockLoop(): void {
    blocker = setInterval(() => {
      for (const until = performance.now() + BLOCK_MS; performance.now() < until;);
    }, 1)
  }

  test.each([
    [RECORD, { code: 'overloaded', status: 503, retryable: true, instance: RECORD }],
    ['/v1/kvs/n/s/a', { inDoubt: false }],
  ])('%s is refused by the share, with when to come back', async (path, problem) => {
    blockLoop()
    let refused: Response | undefined
    while (refused === undefined) {
      const answers = await getMany(path)
      expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      refused = answers.find(({ status }) => status === 503)
    }
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-request-id')).not.toBeNull()
    const body = (await refused.json()) as Problem
    expect(body).toMatchObject(problem)
    // Whatever tells how it is, and lets somebody in, is served meanwhile.
    const open = ['/healthz', '/readyz', '/metrics', '/api/v1/auth/me', '/api/v1/jobs']
    const statuses = await Promise.all(Array.from({ length: CALLERS }, (_, i) => get(open[i % open.length] ?? '')))
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
    const status = (await (await get('/api/v1/status')).json()) as Status
    expect(status.gateway.refusedRequests).toBeGreaterThan(0)
    expect(await (await get('/metrics')).text()).toMatch(/^tessera_refused_requests_total [1-9]/m)
  })

  test('a notice says so and since when, until the loop is in time again', async () => {
    blockLoop()
    const { gate } = gateway().app
    await turnsUntil(() => gate.sheddingSince !== undefined && gate.loop.lateSince !== undefined)
    const late = await gateway().ok<Status>('GET /api/v1/status')
    expect(late.gatewayNotices.map(({ code }) => code).sort()).toEqual(['event_loop_late', 'overloaded'])
    expect(late.gatewayNotices.filter(({ since }) => !(Date.parse(since) >= begun))).toEqual([])
    expect(late.gateway.loopDelay.p99Ms).toBeGreaterThan(0)
    clearInterval(blocker)
    await turnsUntil(() => gate.sheddingSince === undefined && gate.loop.lateSince === undefined)
    const calm = await gateway().ok<Status>('GET /api/v1/status')
    expect(calm.gatewayNotices).toEqual([])
    expect((await getMany(RECORD)).map(({ status }) => status)).toEqual(Array.from({ length: CALLERS }, () => 200))
  })

  test('long work gives way: an import takes its pieces one a measurement', async () => {
    const { gate } = gateway().app
    await turnsUntil(() => gate.giveWay() === undefined)
    blockLoop()
    await turnsUntil(() => gate.admission.shedding)
    const way = gate.giveWay()
    expect(way).toBeInstanceOf(Promise)
    await way
  })
})
