// Idempotency-Key: sent again, a POST answers again and does nothing again.
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import type { App } from '../../src/app-types.js'
import { GatewayError, sendProblem } from '../../src/errors.js'
import { answerOnce } from '../../src/hooks/idempotency.js'
import { type Answer, Answers, ANSWER_BYTES_MAX, ANSWER_LIFE_MS, ANSWERS_MAX } from '../../src/hooks/kept-answers.js'
import { bearer, useGateway } from '../gateway.js'

const json = { 'content-type': 'application/json' }
const ndjson = { 'content-type': 'application/x-ndjson' }

describe('Idempotency-Key', () => {
  const gateway = useGateway()
  const withKey = (key: string, headers: Record<string, string> = json) => ({ ...headers, 'idempotency-key': key })
  const namespace = (name: string) => JSON.stringify({ name, storage: { engine: 'memory' }, segments: 16 })

  test('the first answer comes again, whole', async () => {
    const { send, ok } = gateway()
    const create = () => send('POST /api/v1/namespaces', { body: namespace('n'), headers: withKey('"a-1"') })
    const first = await create()
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined])
    await ok('PATCH /api/v1/namespaces/n', { body: { defaultTtlSeconds: 60 } })
    const again = await create()
    expect([again.status, again.text]).toEqual([201, first.text])
    for (const name of ['location', 'etag', 'content-type']) expect(again.headers[name]).toBe(first.headers[name])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const unquoted = await send('POST /api/v1/namespaces', { body: namespace('n'), headers: withKey('a-1') })
    expect(unquoted.text).toBe(first.text)
    const other = await send('POST /api/v1/namespaces', { body: namespace('n'), headers: withKey('a-2') })
    expect(other.json()).toMatchObject({ code: 'namespace_exists' })
  })

  test('with another request it is refused', async () => {
    const { send } = gateway()
    for (const [line, body] of [
      ['POST /api/v1/namespaces', namespace('other')],
      ['POST /api/v1/jobs', '{"kind":"count","namespace":"n"}'],
    ] as const) {
      const answer = await send(line, { body, headers: withKey('a-1') })
      expect([answer.status, answer.json()['code']]).toEqual([422, 'idempotency_key_reused'])
    }
    expect((await send('GET /api/v1/namespaces/other')).status).toBe(404)
  })

  test('a job is started once, and its answer says which', async () => {
    const { send, ok } = gateway()
    const start = () =>
      send('POST /api/v1/jobs', { body: '{"kind":"count","namespace":"n"}', headers: withKey('job-1') })
    const [first, again] = [await start(), await start()]
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text])
    const { items } = await ok<{ items: object[] }>('GET /api/v1/jobs?kind=count')
    expect(items).toHaveLength(1)
  })

  test('while the first is at work, the second is told to wait', async () => {
    const { send, ok } = gateway()
    const lines = Array.from({ length: 200 }, (_, n) => `{"key":${n},"bins":{}}`).join('\n')
    await ok('POST /api/v1/namespaces/n/sets/s/records', { body: lines, headers: ndjson })
    const body = '{"kind":"scan","namespace":"n","set":"s","threads":1,"recordsPerSecond":1}'
    const start = () => send('POST /api/v1/jobs?wait=60s', { body, headers: withKey('slow') })
    const first = start()
    // The first is known to be at work when its job is.
    let id: string | undefined
    while (id === undefined) {
      await new Promise(setImmediate)
      id = (await ok<{ items: { id: string }[] }>('GET /api/v1/jobs?kind=scan')).items[0]?.id
    }
    const early = await start()
    expect([early.status, early.json()['code'], early.headers['retry-after']]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ])
    await ok(`DELETE /api/v1/jobs/${id}`)
    const answer = await first
    expect(answer.json()).toMatchObject({ id, state: 'aborted' })
    expect((await start()).text).toBe(answer.text)
  })

  test('a batch of writes counts once', async () => {
    const { send } = gateway()
    const write = () =>
      send('POST /api/v1/namespaces/n/sets/once/records?exists=create', {
        body: '{"key":"a","bins":{}}',
        headers: withKey('batch', ndjson),
      })
    const first = await write()
    expect(first.json()).toMatchObject({ written: 1 })
    expect((await write()).text).toBe(first.text)
  })

  test('a refusal by the engine is an answer too; one before it is not', async () => {
    const { send } = gateway()
    const key = withKey('refused')
    const malformed = await send('POST /api/v1/namespaces', { body: '{"name":"late"}', headers: key })
    expect(malformed.status).toBe(400)
    const taken = await send('POST /api/v1/namespaces', { body: namespace('n'), headers: key })
    expect(taken.status).toBe(409)
    const again = await send('POST /api/v1/namespaces', { body: namespace('n'), headers: key })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([409, 'true'])
    expect(again.headers['content-type']).toContain('application/problem+json')
  })

  test('each caller has keys of their own', async () => {
    const { send, ok } = gateway()
    const code = await send('POST /api/v1/auth/login', { body: { token: bearer.authorization.slice(7) } })
    const cookie = code.headers['set-cookie']?.toString().split(';')[0] ?? ''
    expect(cookie).toContain('tessera_session_')
    const body = '{"kind":"count","namespace":"n","set":"s"}'
    const byToken = await ok('POST /api/v1/jobs', { body, headers: withKey('shared') })
    const bySession = await send('POST /api/v1/jobs', {
      body,
      headers: { ...withKey('shared'), cookie },
      anonymous: true,
    })
    expect(bySession.status).toBe(202)
    expect(byToken['who']).toBe('token')
    expect(bySession.json()).toMatchObject({ who: 'console' })
    expect(bySession.json()['id']).not.toBe(byToken['id'])
  })

  test('what was done to a former namespace is done to the one that has its name now', async () => {
    const { ok } = gateway()
    const line = 'POST /api/v1/namespaces/again/sets/s/records'
    const write = () => ok(line, { body: '{"key":"a","bins":{}}', headers: withKey('again', ndjson) })
    const count = () =>
      ok<{ id: string }>('POST /api/v1/jobs?wait=10s', {
        body: '{"kind":"count","namespace":"again"}',
        headers: withKey('again-count'),
      })
    const results = []
    for (let n = 0; n < 2; n += 1) {
      await ok('POST /api/v1/namespaces', { body: namespace('again'), headers: json })
      await write()
      await write()
      expect(await ok('GET /api/v1/namespaces/again/sets/s/records/a')).toMatchObject({ generation: 1 })
      results.push((await count()).id)
      expect((await count()).id).toBe(results[n])
      await ok('DELETE /api/v1/namespaces/again?forGood=true', { headers: { 'x-confirm': 'again' } })
    }
    expect(new Set(results).size).toBe(2)
  })

  test('a token that has the name of a former one has keys of its own', async () => {
    const { ok, send } = gateway()
    const jobs = []
    for (let n = 0; n < 2; n += 1) {
      const made = await ok<{ id: string; token: string }>('POST /api/v1/tokens', {
        body: { name: 'ci', grants: [{ role: 'operator' }] },
      })
      const authorization = `Bearer ${made.token}`
      const count = await send('POST /api/v1/jobs', {
        body: '{"kind":"count","namespace":"n"}',
        headers: { ...withKey('of-ci'), authorization },
      })
      expect(count.status).toBe(202)
      jobs.push(count.json()['id'])
      await ok(`DELETE /api/v1/tokens/${made.id}`)
    }
    expect(new Set(jobs).size).toBe(2)
  })
})

test('what the server failed at is tried again', async () => {
  const app = Fastify()
  app.setErrorHandler(sendProblem)
  app.decorateRequest('who', 'token')
  answerOnce(app as unknown as App)
  let calls = 0
  app.post('/work', { config: { idempotent: true } }, () => {
    calls += 1
    if (calls === 1) throw new GatewayError('storage_failed', 'the disk is gone')
    return { calls }
  })
  const work = () => app.inject({ method: 'POST', url: '/work', headers: { 'idempotency-key': 'k' } })
  const answers = [await work(), await work(), await work()]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 200, 200])
  expect(answers.map((answer) => answer.json<{ calls?: number }>().calls)).toEqual([undefined, 2, 2])
  await app.close()
})

describe('what is kept of answers', () => {
  const answer = (bytes: number): Answer => ({ status: 200, headers: {}, body: Buffer.alloc(bytes) })

  test('ends with its life, but not while the request is at work', () => {
    const answers = new Answers()
    answers.begin('done', 'p', undefined, 0)
    answers.keep('done', answer(1), 0)
    answers.begin('busy', 'p', undefined, 0)
    expect(answers.find('done', ANSWER_LIFE_MS - 1)?.answer?.status).toBe(200)
    expect(answers.find('done', ANSWER_LIFE_MS)).toBeUndefined()
    expect(answers.find('busy', ANSWER_LIFE_MS)).toBeDefined()
    answers.forget('busy')
    expect(answers.find('busy', 0)).toBeUndefined()
  })

  test('is bounded in number and in bytes, the oldest forgotten first', () => {
    const many = new Answers()
    for (let n = 0; n <= ANSWERS_MAX; n += 1) {
      many.begin(`k${n}`, 'p', undefined, n)
      many.keep(`k${n}`, answer(1), n)
    }
    expect([many.find('k0', 1), many.find('k1', 1)?.print]).toEqual([undefined, 'p'])
    const large = new Answers()
    for (const key of ['a', 'b', 'c']) {
      large.begin(key, 'p', undefined, 0)
      large.keep(key, answer(ANSWER_BYTES_MAX / 2), 0)
    }
    expect([large.find('a', 0), large.find('b', 0)?.print, large.find('c', 0)?.print]).toEqual([undefined, 'p', 'p'])
  })
})
