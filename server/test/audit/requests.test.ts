// What requests leave in the audit log: each operation of operators and administrators, and never a secret.
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import type { RouteOptions } from 'fastify'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createApp, declareApi } from '../../src/app.js'
import { shownName, shownSettings } from '../../src/audit/facts.js'
import { Floods } from '../../src/audit/floods.js'
import { recordedAs } from '../../src/auth/recorded.js'
import { allows, type Role, ROLES } from '../../src/auth/roles.js'
import { readConfig } from '../../src/config.js'
import { useGateway } from '../gateway.js'
import { makeDocument } from '../openapi/document.js'

interface Entry {
  seq: number
  kind: string
  operation?: string
  outcome?: string
  who?: string
  count?: number
  [fact: string]: unknown
}

interface Route {
  line: string
  operation: string
  role: Role | undefined
}

/** The operations that leave an entry, by what the routes say. */
async function recordedRoutes(): Promise<Route[]> {
  const app = createApp(readConfig([], {}))
  const found: Route[] = []
  app.addHook('onRoute', (route: RouteOptions) => {
    const { operationId, hide } = (route.schema ?? {}) as { operationId?: string; hide?: boolean }
    const role = route.config?.needs?.role
    if (hide === true || operationId === undefined || role === undefined || !allows(role, 'operator')) return
    const path = route.url.replaceAll(/:[a-zA-Z]+/g, '1')
    for (const one of [route.method].flat())
      if (one !== 'HEAD') found.push({ line: `${one} ${path}`, operation: operationId, role })
  })
  await declareApi(app)
  await app.ready()
  await app.close()
  return found
}

describe('the audit log of a gateway', () => {
  const gateway = useGateway()
  const folder = (): string => join(gateway().directory, 'audit')
  /** All lines of the files. */
  const raw = async (): Promise<string> => {
    const names = (await readdir(folder())).filter((name) => name.endsWith('.log'))
    return (await Promise.all(names.toSorted().map((name) => readFile(join(folder(), name), 'utf8')))).join('')
  }
  const entries = async (): Promise<Entry[]> =>
    (await raw())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
  /** The entries of an operation since `seq`. */
  const of = async (operation: string, since = 0): Promise<Entry[]> =>
    (await entries()).filter((entry) => entry.operation === operation && entry.seq > since)
  const now = (): number => gateway().app.audit.position().kept.seq
  const tokens = new Map<Role, string>()
  const as = (role: Role): { headers: Record<string, string> } => ({
    headers: { authorization: `Bearer ${tokens.get(role) ?? ''}` },
  })

  beforeAll(async () => {
    for (const role of ROLES) {
      const { token } = await gateway().ok<{ token: string }>('POST /api/v1/tokens', {
        body: { name: role, grants: [{ role }] },
      })
      tokens.set(role, token)
    }
    await gateway().memoryNamespace('shop')
  })

  test('it begins with the start of the server, and its version', async () => {
    const version = (await gateway().ok<{ version: string }>('GET /api/v1/status')).version
    expect((await entries()).slice(0, 2)).toMatchObject([{ kind: 'segment' }, { kind: 'start', version }])
  })

  test('a change is announced before it is made, and its settings are there before and after', async () => {
    const { ok } = gateway()
    await ok('POST /api/v1/namespaces/shop/sets', { body: { name: 'events' } })
    const since = now()
    const headers = { 'x-request-id': 'my-request' }
    await ok('PATCH /api/v1/namespaces/shop/sets/events', { body: { limits: { maxRecords: 7 } }, headers })
    const place = { operation: 'updateSet', who: 'token', role: 'admin', namespace: 'shop', set: 'events' }
    const asked = { ...place, address: '127.0.0.1', request: 'my-request' }
    const [intent, outcome, ...more] = await of('updateSet', since)
    expect(more).toEqual([])
    expect(intent).toMatchObject({ kind: 'intent', ...asked, before: { limits: {} } })
    expect(outcome).toMatchObject({
      kind: 'outcome',
      intent: intent?.seq,
      ...asked,
      outcome: 'ok',
      status: 200,
      before: { limits: {} },
      after: { limits: { maxRecords: 7 } },
    })
  })

  test('a job that was started is named, and a dry run is told as one', async () => {
    const { send, ok } = gateway()
    await gateway().put('shop/sets/jobs/records/a', { a: 1 })
    const since = now()
    await ok('DELETE /api/v1/namespaces/shop/sets/jobs?dryRun=true')
    const { id } = await ok<{ id: string }>('DELETE /api/v1/namespaces/shop/sets/jobs?wait=5s')
    expect((await send('DELETE /v1/truncate/shop/jobs')).status).toBe(202)
    const [preview, truncated] = (await of('truncateSet', since)).filter(({ kind }) => kind === 'outcome')
    expect(preview).toMatchObject({ dryRun: true, outcome: 'ok' })
    expect(truncated).toMatchObject({ job: id, set: 'jobs' })
    expect(truncated?.['dryRun']).toBeUndefined()
    expect((await of('compatibleTruncateSet', since)).at(-1)).toMatchObject({ job: expect.any(String) })
  })

  test('an import has a beginning and an end; single records have neither', async () => {
    const since = now()
    await gateway().put('shop/sets/users/records/ada', { a: 1 })
    await gateway().ok('POST /api/v1/namespaces/shop/import?set=users&key=id', {
      body: '{"id":"b","x":1}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const later = (await entries()).filter(({ seq }) => seq > since)
    expect(later).toMatchObject([
      { kind: 'intent', operation: 'importRecords', namespace: 'shop' },
      { kind: 'outcome', operation: 'importRecords', outcome: 'ok', job: expect.any(String) },
    ])
  })

  test('an answer that is repeated by its key is told as one, and announces nothing', async () => {
    const since = now()
    const request = { body: { name: 'twice', storage: { engine: 'memory' } }, headers: { 'idempotency-key': '"k1"' } }
    await gateway().ok('POST /api/v1/namespaces', request)
    await gateway().ok('POST /api/v1/namespaces', request)
    expect((await of('createNamespace', since)).map(({ kind, repeated }) => [kind, repeated])).toEqual([
      ['intent', undefined],
      ['outcome', undefined],
      ['single', true],
    ])
  })

  test('each operation of operators and administrators leaves an entry, done, failed or refused', async () => {
    const lacking: string[] = []
    for (const { line, operation } of await recordedRoutes()) {
      for (const role of ['admin', 'reader'] as const) {
        const since = now()
        await gateway().send(line, as(role))
        const found = (await of(operation, since)).filter(({ who }) => who === `token:${role}`)
        const [first, last] = [found[0], found.at(-1)]
        const told = role === 'admin' ? last?.outcome !== undefined : first?.outcome === 'refused'
        if (!told) lacking.push(`${line} as ${role}: ${JSON.stringify(found)}`)
      }
    }
    expect(lacking).toEqual([])
  })

  test('changes of what does not exist are announced by nobody, and counted', async () => {
    const since = now()
    const missing: [Role, string, object?][] = [
      ['reader', 'DELETE /api/v1/sessions/none'],
      ['reader', 'POST /api/v1/auth/password', { password: 'wrong', newPassword: 'correct horse battery' }],
      ['writer', 'DELETE /api/v1/queries/none'],
      ['writer', 'DELETE /api/v1/imports/none'],
      ['writer', 'POST /api/v1/namespaces/none/import?set=a'],
      ['operator', 'DELETE /api/v1/namespaces/none'],
      ['operator', 'DELETE /api/v1/namespaces/shop/indexes/none'],
      ['operator', 'DELETE /v1/truncate/none'],
      ['operator', 'DELETE /api/v1/alerts/rules/none'],
      ['operator', 'PUT /api/v1/alerts/rules/none/mute', { until: new Date(Date.now() + 60_000).toISOString() }],
      ['operator', 'DELETE /api/v1/jobs/none'],
      ['admin', 'DELETE /api/v1/tokens/none'],
      ['admin', 'DELETE /api/v1/users/none'],
      ['admin', 'DELETE /api/v1/users/none/second-factor'],
      ['reader', 'PUT /api/v1/auth/second-factor', { code: '123456' }],
    ]
    const statuses: number[] = []
    for (let round = 0; round < 20; round += 1)
      for (const [role, line, body] of missing)
        statuses.push((await gateway().send(line, { ...as(role), ...(body !== undefined && { body }) })).status)
    expect(new Set(statuses)).toEqual(new Set([404, 403]))
    const later = (await entries()).filter(({ seq }) => seq > since)
    expect(later.map(({ kind, outcome }) => [kind, outcome]).filter(([kind]) => kind !== 'single')).toEqual([])
    expect(later).toHaveLength(missing.length)
    gateway().app.auditFloods.flush()
    await expect
      .poll(async () => (await entries()).filter(({ seq, count }) => seq > since && count === 19).length)
      .toBe(missing.length)
  })

  test('a name that looks like a secret is changed as any other, and its settings are there', async () => {
    const name = 'Q7x-Zt3vQ1k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uE'
    await gateway().memoryNamespace(name)
    const since = now()
    await gateway().ok(`PATCH /api/v1/namespaces/${name}`, { body: { defaultTtlSeconds: 60 } })
    expect((await of('updateNamespace', since)).at(-1)).toMatchObject({
      outcome: 'ok',
      namespace: 'Q7x-… (not recorded)',
      after: { defaultTtlSeconds: 60 },
    })
  })

  test('nobody can add a change and forget the log', () => {
    const route = { method: 'POST', url: '/api/v1/new' } as RouteOptions
    expect(() => recordedAs(route, 'newOperation', 'writer')).toThrow('nobody has said how POST /api/v1/new')
    expect(() => recordedAs({ ...route, config: { public: true } } as RouteOptions, 'open')).toThrow('auth/recorded.ts')
    expect(recordedAs(route, 'newOperation', 'operator')).toBe('change')
    expect(recordedAs({ ...route, method: 'GET' }, 'newOperation', 'admin')).toBe('read')
    expect(recordedAs({ ...route, method: 'GET' }, 'newOperation', 'reader')).toBeUndefined()
  })

  test('sign-ins, sign-outs and failed sign-ins are there', async () => {
    const { app, send } = gateway()
    const since = now()
    const login = await send('POST /api/v1/auth/login', { anonymous: true, body: { token: 'T'.repeat(43) } })
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? ''
    await send('POST /api/v1/auth/logout', { anonymous: true, headers: { cookie } })
    await send(`GET /login?code=${app.access.newCode().secret}`, { anonymous: true })
    await send('GET /login', { anonymous: true })
    await send('GET /login?code=guess', { anonymous: true, headers: { accept: 'text/html' } })
    expect((await of('createLogin', since)).map(({ who, outcome }) => [who, outcome])).toEqual([['token', 'ok']])
    expect((await of('logout', since)).map(({ who }) => who)).toEqual(['console'])
    await expect
      .poll(async () => (await of('redeemLogin', since)).map(({ who, outcome, code }) => [who, outcome, code]))
      .toEqual([
        ['console', 'ok', undefined],
        ['nobody', 'refused', 'login_code_invalid'],
      ])
  })

  test('no secret is ever in the files, whatever field it is sent in', async () => {
    const secret = 'k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU'
    const made = 'tsr_Zt3vQ1k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxN'
    const { paths, components } = await makeDocument()
    await gateway().memoryNamespace('prey')
    const schemas = components.schemas as Record<string, unknown>
    let sent = 0
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { operationId, requestBody }] of Object.entries(operations)) {
        if (!/^\/(api|v1)\//.test(path) || method === 'get') continue
        const content = (requestBody as { content?: Record<string, { schema: unknown }> } | undefined)?.content
        const bodies = bodiesOf(content?.['application/json']?.schema, schemas, secret)
        const lines = [path.replaceAll(/\{ns\}/g, 'prey'), path].map((one) => one.replaceAll(/\{[a-zA-Z]+\}/g, secret))
        for (const line of lines)
          for (const body of bodies) {
            const request = body === undefined ? {} : { body: body as object }
            await gateway().send(`${method.toUpperCase()} ${line}?a=${secret}`, request)
            await gateway().send(`${method.toUpperCase()} ${line}`, request)
            sent += 1
          }
        expect(operationId).toBeDefined()
      }
    }
    expect(sent).toBeGreaterThan(300)
    const { ok, send } = gateway()
    const webhook = { url: `https://example.com/${secret}?key=${secret}`, secret }
    await ok('PUT /api/v1/alerts/webhook', { body: webhook })
    await ok('DELETE /api/v1/alerts/webhook')
    const threshold = { metric: 'memory.used', when: 'above', value: 1, forSeconds: 0 }
    const rule = { name: 'pass: hunter2 hunter2', severity: 'warning', threshold }
    await send('POST /api/v1/alerts/rules', { body: rule })
    await send('GET /api/v1/status', { headers: { authorization: `Bearer ${secret}` } })
    await send(`DELETE /api/v1/tokens/${made}`)
    await send(`GET /login?code=${secret}`, { anonymous: true })
    await send('POST /api/v1/auth/login', { anonymous: true, body: { token: secret } })
    const text = await raw()
    expect(text).toContain('"host":"example.com"')
    for (const hidden of [secret, made, 'hunter2', 'T'.repeat(43), ...tokens.values()])
      expect(text).not.toContain(hidden)
  })

  test('the list is newest first, by filters and in pages', async () => {
    const { ok } = gateway()
    const page = (query: string): Promise<{ items: Entry[]; truncated: boolean; cursor?: string; head: object }> =>
      ok(`GET /api/v1/audit?${query}`)
    const all: Entry[] = []
    let cursor: string | undefined
    do {
      const answer = await page(`limit=7${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      all.push(...answer.items)
      cursor = answer.cursor
    } while (cursor !== undefined)
    const seqs = all.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a))
    expect(seqs.at(-1)).toBe(1)
    // What announced a change is not shown beside its outcome.
    expect(all.some(({ kind }) => kind === 'intent')).toBe(false)
    const { items, head } = await page('operation=updateSet&namespace=shop&outcome=ok&who=token')
    expect(items).toMatchObject([{ set: 'events', before: { limits: {} }, after: { limits: { maxRecords: 7 } } }])
    expect(head).toMatchObject({ seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await page('from=2999-01-01T00:00:00Z')).items).toEqual([])
    expect((await page('to=2020-01-01T00:00:00Z')).items).toEqual([])
  })

  test('the export has the lines as they are, and the verification says that they are whole', async () => {
    const { send, ok } = gateway()
    const before = await raw()
    const { text, headers } = await send('GET /api/v1/audit/export')
    expect(headers['content-type']).toContain('application/x-ndjson')
    expect(text.startsWith(before)).toBe(true)
    const { head } = await ok<{ head: { hash: string; seq: number } }>('GET /api/v1/audit/verify')
    expect(await ok(`GET /api/v1/audit/verify?head=${head.hash}`)).toMatchObject({ ok: true, headSeq: head.seq })
    expect(await ok(`GET /api/v1/audit/verify?head=${'0'.repeat(64)}`)).toMatchObject({ ok: false })
    const { audit } = await ok<{ audit: { seq: number } }>('GET /api/v1/status')
    expect(audit.seq).toBeGreaterThanOrEqual(head.seq)
  })

  test('if it cannot be written, changes are refused and reads go on', async () => {
    const { ok, send } = gateway()
    await rename(folder(), join(gateway().directory, 'audit-away'))
    const refused = await send('PATCH /api/v1/namespaces/shop/sets/events', { body: { limits: { maxRecords: 9 } } })
    expect([refused.status, refused.json()['code']]).toEqual([503, 'audit_unavailable'])
    expect((await send('DELETE /v1/truncate/shop/events')).status).toBe(503)
    expect(await ok('GET /api/v1/namespaces/shop/sets/events')).toMatchObject({ limits: { maxRecords: 7 } })
    const { gatewayNotices } = await ok<{ gatewayNotices: object[] }>('GET /api/v1/status')
    expect(gatewayNotices).toMatchObject([{ code: 'audit_not_written' }])
    await gateway().put('shop/sets/users/records/eve', { a: 1 })
    expect((await send('GET /api/v1/tokens')).status).toBe(200)
    await rename(join(gateway().directory, 'audit-away'), folder())
    await ok('PATCH /api/v1/namespaces/shop/sets/events', { body: { limits: { maxRecords: 9 } } })
    expect(await ok('GET /api/v1/status')).toMatchObject({ gatewayNotices: [] })
    expect((await entries()).findLast(({ kind }) => kind === 'gap')).toMatchObject({ refused: 2, lost: 0 })
    expect(await ok('GET /api/v1/audit/verify')).toMatchObject({ ok: true })
  })
})

describe('floods', () => {
  const useNotes = (): { notes: Record<string, unknown>[]; floods: Floods } => {
    const notes: Record<string, unknown>[] = []
    return { notes, floods: new Floods(async (facts) => notes.push(facts)) }
  }

  test('the first is told at once, and the others of each minute in one entry', async () => {
    vi.useFakeTimers()
    const { notes, floods } = useNotes()
    for (let n = 0; n < 10_000; n += 1) await floods.add('sign-in 10.0.0.1', { address: '10.0.0.1' })
    expect(notes).toHaveLength(1)
    vi.advanceTimersByTime(60_000)
    expect(notes).toMatchObject([{ address: '10.0.0.1' }, { address: '10.0.0.1', count: 9999 }])
    vi.advanceTimersByTime(120_000)
    await floods.add('sign-in 10.0.0.1', { address: '10.0.0.1' })
    expect(notes).toHaveLength(3)
    floods.close()
    vi.useRealTimers()
  })

  test('from many addresses, memory stays bounded and none is lost', async () => {
    const { notes, floods } = useNotes()
    for (let n = 0; n < 5000; n += 1) await floods.add(`sign-in ${n}`, { operation: 'createLogin', address: `${n}` })
    expect(notes).toHaveLength(1000)
    floods.close()
    expect(notes.at(-1)).toMatchObject({ who: 'many', operation: 'createLogin', count: 4000 })
  })
})

describe('names', () => {
  test.each([
    ['shop', 'shop'],
    ['tsr_k0oZ6gAq', 'tsr_… (not recorded)'],
    ['k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU', 'k0oZ… (not recorded)'],
    ['Bearer tsr_k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU', 'Bearer tsr_… (not recorded)'],
    ['a/k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU=', 'a/k0oZ… (not recorded)='],
    ['orders-of-the-european-region-2026-eu1-archive', 'orders-of-the-european-region-2026-eu1-archive'],
    ['CustomerOrdersArchiveOfTheEuropeanRegion2026', 'CustomerOrdersArchiveOfTheEuropeanRegion2026'],
    ['Tenant-3f2b8c1e-9d4a-4f6b-8e2d-1a2b3c4d5e6f', 'Tenant-3f2b8c1e-9d4a-4f6b-8e2d-1a2b3c4d5e6f'],
    ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c'],
    ['/dev/nvme0n1', '/dev/nvme0n1'],
    ['a-name-that-is-long-but-was-given-by-a-person', 'a-name-that-is-long-but-was-given-by-a-person'],
    ['x'.repeat(200), `${'x'.repeat(128)}…`],
  ])('%s is shown as %s', (name, shown) => {
    expect(shownName(name)).toBe(shown)
  })
})

test('settings have nothing of a field that is for a secret, and no token within another value', () => {
  const token = 'tsr_k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU'
  const settings = { host: 'example.com', secret: 'short', rest: [{ path: `a/${token}/b`, password: 'x' }] }
  expect(shownSettings(settings)).toEqual({
    host: 'example.com',
    secret: '(not recorded)',
    rest: [{ path: 'a/tsr_… (not recorded)/b', password: '(not recorded)' }],
  })
})

/** Bodies of a schema: the secret in each field alone, and in all that are texts. */
function bodiesOf(schema: unknown, schemas: Record<string, unknown>, secret: string): unknown[] {
  if (schema === undefined) return [undefined]
  const whole = fill(schema, schemas, secret, 0)
  if (typeof whole !== 'object' || whole === null) return [whole]
  const example = exampleOf(schema, schemas)
  const single = Object.keys(whole).map((key) => ({ ...example, [key]: secret }))
  return [whole, { ...example, ...whole }, ...single, { ...example, [secret]: secret }]
}

interface Node {
  $ref?: string
  type?: string
  enum?: unknown[]
  properties?: Record<string, unknown>
  items?: unknown
  anyOf?: unknown[]
  oneOf?: unknown[]
  examples?: unknown[]
}

const resolve = (schema: unknown, schemas: Record<string, unknown>): Node => {
  const { $ref } = schema as Node
  return ($ref === undefined ? schema : schemas[$ref.split('/').at(-1) ?? '']) as Node
}

const exampleOf = (schema: unknown, schemas: Record<string, unknown>): object =>
  Object(resolve(schema, schemas).examples?.[0]) as object

function fill(schema: unknown, schemas: Record<string, unknown>, secret: string, depth: number): unknown {
  const node = resolve(schema, schemas)
  if (node.enum !== undefined) return node.enum[0]
  if (node.properties !== undefined && depth < 4)
    return Object.fromEntries(
      Object.entries(node.properties).map(([key, of]) => [key, fill(of, schemas, secret, depth + 1)]),
    )
  if (node.type === 'integer' || node.type === 'number') return 1
  if (node.type === 'boolean') return true
  if (node.type === 'array') return [fill(node.items ?? {}, schemas, secret, depth + 1)]
  const [first] = node.anyOf ?? node.oneOf ?? []
  return first === undefined ? secret : fill(first, schemas, secret, depth + 1)
}

test('an instance that only describes the API makes no folder', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  const app = createApp(readConfig(['--data', directory], {}))
  await declareApi(app)
  await app.ready()
  await app.close()
  expect(await readdir(directory)).toEqual([])
  await rm(directory, { recursive: true })
})
