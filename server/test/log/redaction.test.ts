// The log of a gateway that says all it can, in a run with known secrets: it has none of them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { loggedError } from '../../src/log/options.js'
import { Gateway, TOKEN } from '../gateway.js'

const PASSWORD = 'correct horse battery secret'
const VALUE = 'value-of-a-record-4711'
const KEY = 'key-of-a-record-4712'

interface Line {
  level: number
  reqId?: string
  msg: string
  caller?: string
  operation?: string
  status?: number
  ms?: number
  code?: string
  err?: { message: string; stack: string }
}

describe('the log', () => {
  const written: string[] = []
  const secrets = [TOKEN, PASSWORD, VALUE, KEY]
  let gateway: Gateway

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tessera-log-'))
    const variables = { TESSERA_LOG_LEVEL: 'trace', TESSERA_LOG_REQUESTS: 'true' }
    const config = readConfig(['--data', directory], variables)
    const [engine, access] = [await openNativeEngine(config), new Access(TOKEN)]
    const log = { write: (line: string) => void written.push(line) }
    gateway = new Gateway(
      await buildApp({ config, engine, access, log, consoleFiles: join(directory, 'none') }),
      directory,
    )
    await gateway.app.ready()
  })
  afterAll(async () => {
    await gateway.app.close()
    await rm(gateway.directory, { recursive: true })
  })

  const lines = (): Line[] => written.map((line) => JSON.parse(line) as Line)
  const last = (operation: string) => lines().findLast((line) => line.operation === operation)

  test('has a line per request: who did what, and how it ended', async () => {
    await gateway.memoryNamespace('shop')
    await gateway.put(`shop/sets/s/records/${KEY}`, { secret: VALUE })
    const answer = await gateway.send(`GET /api/v1/namespaces/shop/sets/s/records/${KEY}`)
    expect(answer.text).toContain(VALUE)
    expect(last('getRecord')).toMatchObject({
      level: 30,
      msg: 'request',
      caller: 'token',
      status: 200,
      ms: expect.any(Number) as number,
      reqId: answer.headers['x-request-id'],
    })
    await gateway.send('GET /api/v1/namespaces/none')
    expect(last('getNamespace')).toMatchObject({ status: 404, code: 'namespace_not_found' })
    await gateway.send('GET /api/v1/status', { anonymous: true })
    expect(last('getStatus')).toMatchObject({ status: 401, caller: 'nobody' })
  })

  test('has the stack of what failed, and not what hangs on it', async () => {
    const broken = Object.assign(new Error('it broke', { cause: new Error('deep down') }), { request: { body: VALUE } })
    vi.spyOn(gateway.app.engine, 'getRecord').mockImplementationOnce(() => {
      throw broken
    })
    expect((await gateway.send(`GET /api/v1/namespaces/shop/sets/s/records/${KEY}`)).status).toBe(500)
    const failed = lines().findLast(({ msg }) => msg === 'request failed')
    expect(failed).toMatchObject({ level: 50, err: { message: 'it broke', cause: { message: 'deep down' } } })
    expect(failed?.err?.stack).toContain('redaction.test.ts')
  })

  test('has no credential, no key and no value, whatever is done', async () => {
    const { send, ok, app } = gateway
    const code = app.access.newCode().secret
    const users = { name: 'ada', grants: [{ role: 'admin' }], password: PASSWORD }
    await ok('POST /api/v1/users', { body: users })
    const made = await ok<{ token: string }>('POST /api/v1/tokens', {
      body: { name: 'p', grants: [{ role: 'reader' }] },
    })
    const host = { host: 'localhost' }
    const login = { body: { user: 'ada', password: PASSWORD }, headers: host, anonymous: true }
    const cookie = (await send('POST /api/v1/auth/login', login)).headers['set-cookie']?.toString() ?? ''
    const session = /=([^;]{20,})/.exec(cookie)?.[1] ?? 'no session'
    await send('GET /api/v1/auth/me', { headers: { cookie: cookie.split(';')[0] ?? '' }, anonymous: true })
    await send(`GET /login?code=${code}`, { anonymous: true, headers: host })
    await send('GET /api/v1/status', { headers: { authorization: `Bearer ${made.token}` }, anonymous: true })
    const basic = Buffer.from(`u:${made.token}`).toString('base64')
    await send('GET /v1/info', { headers: { authorization: `Basic ${basic}` }, anonymous: true })
    await send('POST /api/v1/users', {
      body: `{"password":"${PASSWORD}"`,
      headers: { 'content-type': 'application/json' },
    })
    await send('POST /api/v1/users', { body: { ...users, password: [PASSWORD] } })
    await send('POST /api/v1/auth/login', { ...login, body: { user: 'ada', password: `${PASSWORD}x` } })
    const where = { bin: 'secret', op: 'eq', value: VALUE }
    await send('POST /api/v1/namespaces/shop/query', { body: { set: 's', where } })
    await send('POST /api/v1/namespaces/shop/query', { body: { set: 's', where: [VALUE] } })
    await send(`GET /api/v1/namespaces/shop/export?where=${encodeURIComponent(JSON.stringify(where))}`)
    const csv = { body: `id,v\n${KEY},${VALUE}\n`, headers: { 'content-type': 'text/csv' } }
    await send('POST /api/v1/namespaces/shop/import?set=s&key=id', csv)
    await send(`GET /api/v1/namespaces/shop/sets/s/${KEY}/${VALUE}`)
    await send(`PUT /v1/kvs/shop/s/${KEY}`, { body: { bins: { v: VALUE } } })
    for (const [at, secret] of [...secrets, code, made.token, basic, session].entries()) {
      expect(secret.length, `secret ${at}`).toBeGreaterThan(15)
      expect(written.join(''), `secret ${at}`).not.toContain(secret)
    }
    expect(lines().filter(({ msg }) => msg === 'request').length).toBeGreaterThan(15)
  })

  test('hides what a line has under the name of a secret', () => {
    gateway.app.log.warn({ token: VALUE, user: { password: VALUE }, req: { headers: { cookie: VALUE } } }, 'a slip')
    expect(written.at(-1)).toContain('[Redacted]')
    expect(written.at(-1)).not.toContain(VALUE)
  })

  test('keeps its last lines for the diagnostics', () => {
    for (let at = 0; at < 600; at += 1) gateway.app.log.info({ at }, 'one of many')
    const kept = gateway.app.logTail.lines().map((line) => (JSON.parse(line) as { at: number }).at)
    expect(kept).toEqual(Array.from({ length: 500 }, (_, at) => at + 100))
  })
})

test('an error in the log is bounded', () => {
  const endless = new Error('x'.repeat(100_000))
  endless.cause = endless
  expect(JSON.stringify(loggedError(endless)).length).toBeLessThan(50_000)
  expect(loggedError('text')).toMatchObject({ type: 'string', message: 'text' })
})
