// The diagnostics have what somebody who looks into a fault needs, and neither data nor secrets.
import { describe, expect, test } from 'vitest'
import type { DiagnosticPart } from '../../src/schemas/server/diagnostics.js'
import { diagnosticParts } from '../../src/schemas/server/diagnostics.js'
import { TOKEN, useGateway } from '../gateway.js'

const VALUE = 'value-of-a-record-4711'
const KEY = 'key-of-a-record-4712'
const PASSWORD = 'correct horse battery secret'

describe('the diagnostics', () => {
  const gateway = useGateway({ logLevel: 'silent', webhookPrivate: true })

  async function read(): Promise<{ text: string; parts: DiagnosticPart[] }> {
    const { status, text, headers } = await gateway().send('GET /api/v1/diagnostics')
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson'])
    return {
      text,
      parts: text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as DiagnosticPart),
    }
  }

  test('have each part, in order', async () => {
    const { ok, send, put, app, memoryNamespace } = gateway()
    await memoryNamespace.call(gateway(), 'shop')
    await put.call(gateway(), `shop/sets/s/records/${KEY}`, { v: VALUE })
    await send(`GET /api/v1/namespaces/shop/sets/s/records/${KEY}`)
    await ok('POST /api/v1/namespaces/shop/query', {
      body: { set: 's', where: { bin: 'v', op: 'eq', value: VALUE } },
    })
    await ok('POST /api/v1/jobs?wait=10s', {
      body: { kind: 'count', namespace: 'shop', set: 's', where: { bin: 'v', op: 'eq', value: VALUE } },
    })
    await ok('POST /api/v1/users', { body: { name: 'ada', grants: [{ role: 'reader' }], password: PASSWORD } })
    const made = await ok<{ token: string }>('POST /api/v1/tokens', {
      body: { name: 'p', grants: [{ role: 'reader' }] },
    })
    const hook = await ok<{ secret: string }>('PUT /api/v1/alerts/webhook', {
      body: { url: `http://127.0.0.1:9/hook/${VALUE}` },
    })
    app.logTail.write('{"level":40,"msg":"a line of the log"}\n')

    const { text, parts } = await read()
    expect([...new Set(parts.map(({ part }) => part))]).toEqual([...diagnosticParts])
    const of = (part: string) => parts.filter((one) => one.part === part)
    expect(of('settings')[0]).toMatchObject({ settings: { port: 7373, hosts: [], logLevel: 'silent', noAuth: false } })
    expect(of('status')[0]).toMatchObject({ healthy: true, gateway: { live: { clients: 0 } } })
    expect(of('namespace')[0]).toMatchObject({ name: 'shop', config: { segments: 16 }, losses: 0 })
    expect(of('job').map((job) => (job as unknown as { kind: string }).kind)).toContain('count')
    expect(of('slow')[0]).toMatchObject({ op: expect.any(String) as string, durationMs: expect.any(Number) as number })
    expect(of('metrics')[0]).toMatchObject({ text: expect.stringMatching(/^tessera_/m) as string, truncated: false })
    expect(of('log')[0]).toMatchObject({ line: { msg: 'a line of the log' } })
    for (const secret of [VALUE, KEY, PASSWORD, TOKEN, made.token, hook.secret]) expect(text).not.toContain(secret)
  })

  test('are for administrators alone', async () => {
    const { token } = await gateway().ok<{ token: string }>('POST /api/v1/tokens', {
      body: { name: 'operator', grants: [{ role: 'operator' }] },
    })
    const headers = { authorization: `Bearer ${token}` }
    const refused = await gateway().send('GET /api/v1/diagnostics', { headers, anonymous: true })
    expect(refused.json()).toMatchObject({ status: 403, code: 'role_required' })
    expect((await gateway().send('GET /api/v1/diagnostics', { anonymous: true })).status).toBe(401)
  })

  test('are refused with a parameter, or as another type', async () => {
    expect((await gateway().send('GET /api/v1/diagnostics?all=1')).json()).toMatchObject({ status: 400 })
    const csv = await gateway().send('GET /api/v1/diagnostics', { headers: { accept: 'text/csv' } })
    expect(csv.json()).toMatchObject({ code: 'not_acceptable' })
  })
})
