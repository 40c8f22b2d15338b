// A gateway whose event loop is late refuses requests for data, and serves those that tell how it is.
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WAITING_MAX } from '../../src/overload/pipelines.js'
import type { Problem } from '../../src/schemas/problem.js'
import type { Status } from '../../src/schemas/server/status.js'
import { bearer, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const BLOCK_MS = 80
const CALLERS = 48
const RECORD = '/api/v1/namespaces/n/sets/s/records/a'

let blocker: NodeJS.Timeout | undefined

afterEach(() => clearInterval(blocker))

/** Keeps the loop busy, as work does that takes too long. */
function blockLoop(): void {
  blocker = setInterval(() => {
    for (const until = performance.now() + BLOCK_MS; performance.now() < until;);
  }, 1)
}

describe('overload', () => {
  const begun = Date.now()
  const gateway = useGateway({ loopAlarmMs: 60 })
  let origin: string

  beforeAll(async () => {
    const { app } = gateway()
    await gateway().memoryNamespace('n')
    await gateway().put('n/sets/s/records/a', { i: 1 })
    await app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  })

  const get = (path: string) => fetch(`${origin}${path}`, { headers: bearer })
  const getMany = (path: string) => Promise.all(Array.from({ length: CALLERS }, () => get(path)))

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
    const told = new AbortController()
    const asking = (async () => {
      while (!told.signal.aborted) await getMany(RECORD)
    })()
    await turnsUntil(() => gate.admission.refusedShare >= 0.01)
    const late = await gateway().ok<Status>('GET /api/v1/status')
    told.abort()
    expect(late.gatewayNotices.map(({ code }) => code).sort()).toEqual(['event_loop_late', 'overloaded'])
    expect(late.gatewayNotices.filter(({ since }) => !(Date.parse(since) >= begun))).toEqual([])
    expect(late.gateway.loopDelay.p99Ms).toBeGreaterThan(0)
    clearInterval(blocker)
    await asking
    await turnsUntil(() => gate.sheddingSince === undefined && gate.loop.lateSince === undefined)
    const calm = await gateway().ok<Status>('GET /api/v1/status')
    expect(calm.gatewayNotices).toEqual([])
    expect((await getMany(RECORD)).map(({ status }) => status)).toEqual(Array.from({ length: CALLERS }, () => 200))
  })

  test('pipelined requests are answered in order, refused ones with their problem, and their connection goes on', async () => {
    const line = pipelined(new URL(origin).port)
    onTestFinished(() => void line.socket.destroy())
    blockLoop()
    let refused = 0
    while (refused === 0) {
      // More than are read while others wait, and one in between that is always served.
      const ids = Array.from({ length: 3 * WAITING_MAX }, (_, i) => (i === WAITING_MAX ? 'health' : `r${i}`))
      line.socket.write(ids.map((id) => asked(id === 'health' ? '/healthz' : RECORD, id)).join(''))
      const answers = await line.answers(ids.length)
      expect(answers.map(({ id }) => id)).toEqual(ids)
      expect(answers[WAITING_MAX]?.status).toBe(200)
      const problems = answers.filter(({ status }) => status === 503)
      const whole = problems.map(({ id }) =>
        expect.objectContaining({ code: 'overloaded', instance: RECORD, requestId: id }),
      )
      expect(problems.map(({ body }) => JSON.parse(body))).toEqual(whole)
      expect(answers.length - problems.length).toBe(answers.filter(({ status }) => status === 200).length)
      refused += problems.length
    }
    clearInterval(blocker)
    const { gate } = gateway().app
    await turnsUntil(() => !gate.admission.shedding && gate.held.count === 0)
    line.socket.write(asked(RECORD, 'after'))
    expect(await line.answers(1)).toEqual([expect.objectContaining({ id: 'after', status: 200 })])
  })

  test('a client that goes away while its refusal is held leaves nothing behind', async () => {
    const { gate, connections } = gateway().app
    const { open } = connections.figures()
    blockLoop()
    const lines: Pipelined[] = []
    onTestFinished(() => lines.forEach(({ socket }) => void socket.destroy()))
    while (gate.held.count === 0) {
      const line = pipelined(new URL(origin).port)
      lines.push(line)
      line.socket.write(asked(RECORD, 'gone').repeat(WAITING_MAX / 2))
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { socket } of lines) socket.resetAndDestroy()
    clearInterval(blocker)
    await turnsUntil(() => gate.held.count === 0 && !gate.admission.shedding)
    expect((await get(RECORD)).status).toBe(200)
    await turnsUntil(() => connections.figures().open <= open)
    expect(gate.held.count).toBe(0)
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

describe('a loop that is late for nobody', () => {
  const gateway = useGateway({ loopAlarmMs: 60 })

  test('refuses no share of no requests', async () => {
    const { gate } = gateway().app
    await gateway().app.listen({ host: '127.0.0.1', port: 0 })
    blockLoop()
    await turnsUntil(() => gate.sheddingSince !== undefined && gate.loop.lateSince !== undefined)
    const { gatewayNotices } = await gateway().ok<Status>('GET /api/v1/status')
    expect(gatewayNotices.map(({ code }) => code)).toEqual(['event_loop_late'])
  })
})

const asked = (path: string, id: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\nx-request-id: ${id}\r\n\r\n`

interface Pipelined {
  socket: Socket
  /** The next answers. */
  answers: (count: number) => Promise<{ id: string; status: number; body: string }[]>
}

/** A connection that sends without waiting for answers. */
function pipelined(port: string): Pipelined {
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.on('error', () => undefined)
  socket.setEncoding('latin1').on('data', (bytes: string) => (text += bytes))
  const next = () => {
    const found = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/.exec(text)
    if (found === null) return undefined
    const [head, status] = found
    const length = head.length + Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (text.length < length) return undefined
    const answer = {
      id: /x-request-id: (\S+)/.exec(head)?.[1] ?? '',
      status: Number(status),
      body: text.slice(head.length, length),
    }
    text = text.slice(length)
    return answer
  }
  return {
    socket,
    answers: async (count) => {
      const answers: { id: string; status: number; body: string }[] = []
      await turnsUntil(() => {
        for (let one = next(); one !== undefined; one = next()) answers.push(one)
        return answers.length >= count
      })
      return answers
    },
  }
}
