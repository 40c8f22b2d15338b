// Queries that people have open in the console: each caller has their own, also after a kill, until they are removed.
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { idOfSubject } from '../../src/auth/caller-id.js'
import { etagOf, OpenQueriesOfCallers } from '../../src/queries/open.js'
import { OPEN_BYTES_MAX, OPEN_MAX, type OpenQueries } from '../../src/schemas/records/open-queries.js'
import { type Answer, type Gateway, TOKEN, useGateway } from '../gateway.js'

const OPEN = '/api/v1/queries/open'
const PASSWORD = 'correct horse battery staple'
/** Half typed, with a number of more digits than a double keeps. */
const text = '{"set": "s", "where": {"value": 9007199254740993'
const one = { key: 'a', namespace: 'shop', request: text }
const from = { browser: 'Firefox on Linux', at: '2026-01-31T12:00:00.000Z' }

type As = Record<string, string>

/** The headers of a browser in which somebody is signed in. */
async function signIn({ send }: Gateway, body: object): Promise<As> {
  const answer = await send('POST /api/v1/auth/login', { body, anonymous: true })
  expect(answer.status, answer.text).toBeLessThan(300)
  const set = [answer.headers['set-cookie'] ?? []].flat() as string[]
  return { cookie: set.map((cookie) => cookie.split(';')[0]).join('; '), 'sec-fetch-site': 'same-origin' }
}

describe('open queries', () => {
  const gateway = useGateway()
  const read = async (headers: As): Promise<OpenQueries> =>
    (await gateway().send(`GET ${OPEN}`, { headers, anonymous: true })).json()
  const write = (items: object[], headers: As): Promise<Answer> =>
    gateway().send(`PUT ${OPEN}`, { body: { items }, headers, anonymous: true })
  const makeUser = (name: string, role = 'reader') =>
    gateway().ok('POST /api/v1/users', { body: { name, grants: [{ role }], password: PASSWORD } })
  const makeToken = async (name: string): Promise<{ id: string; as: As }> => {
    const { id, token } = await gateway().ok<{ id: string; token: string }>('POST /api/v1/tokens', {
      body: { name, grants: [{ role: 'reader', namespace: 'shop' }] },
    })
    return { id, as: { authorization: `Bearer ${token}` } }
  }
  const filesOf = () => readdir(join(gateway().directory, 'queries', 'open')).catch((): string[] => [])

  test('are kept word for word, in their order, with an ETag', async () => {
    await makeUser('ada')
    const ada = await signIn(gateway(), { user: 'ada', password: PASSWORD })
    const none = await gateway().send(`GET ${OPEN}`, { headers: ada, anonymous: true })
    expect(none.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), revision: 0, items: [] })
    const items = [{ ...one, key: 'z-_9', from }, one, { key: 'b', saved: 'gone' }, { key: 'c', request: '' }]
    const first = await write(items, { ...ada, 'if-match': String(none.headers['etag']) })
    const { id } = none.json<OpenQueries>()
    expect([first.status, first.json()]).toEqual([200, { id, revision: 1, updatedAt: expect.any(String), items }])
    const again = await gateway().send(`GET ${OPEN}`, { headers: ada, anonymous: true })
    expect([again.text, again.headers['etag']]).toEqual([first.text, first.headers['etag']])
    const late = await write([], { ...ada, 'if-match': String(none.headers['etag']) })
    expect([late.status, late.json()]).toMatchObject([412, { code: 'precondition_failed', field: 'if-match' }])
    const next = await write([one], { ...ada, 'if-match': String(first.headers['etag']) })
    expect(next.json()).toMatchObject({ revision: 2, items: [one] })
    expect((await write([], ada)).json()).toMatchObject({ revision: 3, items: [] })
  })

  test('of two writes with one ETag, one is refused', async () => {
    const { as } = await makeToken('racer')
    const { headers } = await gateway().send(`GET ${OPEN}`, { headers: as, anonymous: true })
    const match = { ...as, 'if-match': String(headers['etag']) }
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => write([{ key }], match)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412])
    const taken = answers.find(({ status }) => status === 200)
    expect(await read(as)).toEqual(taken?.json())
  })

  test('belong to one caller: a user, an API token, or whoever has the administrator token', async () => {
    await makeUser('grace')
    await makeUser('edith', 'admin')
    const callers = {
      grace: await signIn(gateway(), { user: 'grace', password: PASSWORD }),
      edith: await signIn(gateway(), { user: 'edith', password: PASSWORD }),
      program: (await makeToken('program')).as,
      token: { authorization: `Bearer ${TOKEN}` },
    }
    for (const [key, as] of Object.entries(callers)) expect((await write([{ key }], as)).status).toBe(200)
    for (const [key, as] of Object.entries(callers)) expect((await read(as)).items, key).toEqual([{ key }])
    const ids = await Promise.all(
      Object.values(callers).map(async (headers: As) => {
        const me = await gateway().send('GET /api/v1/auth/me', { headers, anonymous: true })
        const open = await gateway().send(`GET ${OPEN}`, { headers, anonymous: true })
        expect(me.json()).toMatchObject({ id: open.json()['id'] })
        return open.json()['id']
      }),
    )
    expect(new Set(ids).size).toBe(ids.length)
    // Another browser of the same person has the same.
    const other = await signIn(gateway(), { user: 'grace', password: PASSWORD })
    expect((await read(other)).items).toEqual([{ key: 'grace' }])
    const browser = await signIn(gateway(), { token: TOKEN })
    expect((await read(browser)).items).toEqual([{ key: 'token' }])
    expect((await gateway().send(`GET ${OPEN}`, { anonymous: true })).status).toBe(401)
  })

  test('go with the user and with the API token', async () => {
    await makeUser('gone')
    const gone = await signIn(gateway(), { user: 'gone', password: PASSWORD })
    const program = await makeToken('gone')
    const before = await filesOf()
    for (const as of [gone, program.as]) await write([one], as)
    expect((await filesOf()).length).toBe(before.length + 2)
    await gateway().ok('DELETE /api/v1/users/gone')
    await gateway().ok(`DELETE /api/v1/tokens/${program.id}`)
    expect(await filesOf()).toEqual(before)
    expect((await write([one], gone)).status).toBe(401)
    await makeUser('gone')
    const next = await signIn(gateway(), { user: 'gone', password: PASSWORD })
    expect(await read(next)).toMatchObject({ revision: 0, items: [] })
  })

  test('what a removed user has sent is not kept, however slowly it came', async () => {
    await makeUser('slow')
    const slow = await signIn(gateway(), { user: 'slow', password: PASSWORD })
    const before = await filesOf()
    // The credentials are looked at first, then the body comes.
    const { app } = gateway()
    let release = (): void => undefined
    const held = new Promise<void>((done) => (release = done))
    let begun = (): void => undefined
    const seen = new Promise<void>((done) => (begun = done))
    async function* body() {
      yield Buffer.from('{"items":')
      begun()
      await held
      yield Buffer.from('[]}')
    }
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const answer = fetch(`${url}${OPEN}`, {
      method: 'PUT',
      headers: { ...slow, 'content-type': 'application/json' },
      body: body(),
      duplex: 'half',
    })
    await seen
    await gateway().ok('DELETE /api/v1/users/slow')
    release()
    expect((await answer).status).toBeGreaterThanOrEqual(400)
    expect(await filesOf()).toEqual(before)
  })

  test('have a bound of bytes and of number', async () => {
    const { as } = await makeToken('bounds')
    const room = OPEN_BYTES_MAX - JSON.stringify({ items: [{ key: 'a', request: '' }] }).length
    expect((await write([{ key: 'a', request: 'x'.repeat(room) }], as)).status).toBe(200)
    const more = await write([{ key: 'a', request: 'x'.repeat(room + 1) }], as)
    expect([more.status, more.json()]).toMatchObject([413, { code: 'body_too_large' }])
    expect((await read(as)).items[0]?.request?.length).toBe(room)
    const many = Array.from({ length: OPEN_MAX + 1 }, (_, n) => ({ key: `k${n}` }))
    expect((await write(many.slice(1), as)).status).toBe(200)
    expect((await write(many, as)).json()).toMatchObject({ code: 'field_invalid' })
    expect((await read(as)).items).toHaveLength(OPEN_MAX)
  })

  test('any text that a browser can hold comes back', async () => {
    const { as } = await makeToken('texts')
    const texts = ['\u0000\u0007\u007f', '\ud800 alone', '𝄞 "\\', '\u2028\u2029', '__proto__']
    const items = texts.map((request, n) => ({ key: `k${n}`, request }))
    expect((await write(items, as)).status).toBe(200)
    expect((await read(as)).items).toEqual(items)
  })

  test('their files can be read by the owner alone', async () => {
    const [file] = await filesOf()
    const found = await stat(join(gateway().directory, 'queries', 'open', String(file)))
    expect(found.mode & 0o777).toBe(0o600)
    expect(file).toMatch(/^[0-9a-f]{32}\.json$/)
  })

  test('a damaged file is told and set aside, and the next write is kept', async () => {
    const { as } = await makeToken('damaged')
    const before = await filesOf()
    await write([one], as)
    const file = (await filesOf()).find((name) => !before.includes(name)) ?? ''
    const path = join(gateway().directory, 'queries', 'open', file)
    await writeFile(path, '{"id"')
    expect(await read(as)).toMatchObject({ revision: 0, items: [] })
    const { gatewayNotices } = await gateway().ok<{ gatewayNotices: object[] }>('GET /api/v1/status')
    expect(gatewayNotices).toContainEqual(
      expect.objectContaining({
        code: 'queries_damaged',
        message: expect.stringMatching(/^open queries are lost: /) as string,
      }),
    )
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe('{"id"')
    expect((await write([one], as)).json()).toMatchObject({ revision: 1, items: [one] })
  })

  test('no entry of the audit log has them', async () => {
    await gateway().ok(`PUT ${OPEN}`, { body: { items: [one] } })
    const { items } = await gateway().ok<{ items: object[] }>('GET /api/v1/audit?limit=1000')
    expect(JSON.stringify(items)).not.toContain('OpenQueries')
  })
})

describe('on a read-only server', () => {
  const gateway = useGateway({ readOnly: true })

  test('open queries are kept: no record and no setting changes', async () => {
    await gateway().ok(`PUT ${OPEN}`, { body: { items: [one] } })
    expect(await gateway().ok(`GET ${OPEN}`)).toMatchObject({ items: [one] })
  })
})

describe('without authentication', () => {
  const gateway = useGateway({ auth: false })

  test('open queries are those of all who use this machine', async () => {
    const local = { anonymous: true, headers: { host: 'localhost:7373', 'sec-fetch-site': 'same-origin' } }
    await gateway().ok(`PUT ${OPEN}`, { ...local, body: { items: [one] } })
    expect(await gateway().ok(`GET ${OPEN}`, local)).toMatchObject({ items: [one] })
  })
})

describe('the files', () => {
  let directory: string
  const told: string[] = []
  const start = (most?: number) => new OpenQueriesOfCallers(directory, (damages) => told.push(...damages), most)
  const [ada, grace, edith] = [idOfSubject('ada'), idOfSubject('grace'), idOfSubject('edith')]

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
    told.length = 0
  })
  afterEach(async () => {
    expect(told).toEqual([])
    await rm(directory, { recursive: true })
  })

  test('outlive a kill, also in the middle of a write', async () => {
    const written = await start().replace(ada, { items: [one] }, undefined)
    await writeFile(join(directory, 'queries', 'open', `${ada}.json.new`), '{"id":"cut off')
    const after = await start().get(ada)
    expect(after).toEqual(written)
    expect(await start().replace(ada, { items: [] }, etagOf(after))).toMatchObject({ revision: 2 })
  })

  test('are those of so many callers, and one who has changed nothing for long gives way', async () => {
    const open = start(2)
    await Promise.all([ada, grace].map((caller) => open.replace(caller, { items: [one] }, undefined)))
    await expect(open.replace(edith, { items: [] }, undefined)).rejects.toMatchObject({ code: 'open_queries_limit' })
    expect(await open.replace(ada, { items: [] }, undefined)).toMatchObject({ revision: 2 })
    const long = new Date(Date.now() - 91 * 24 * 3_600_000)
    await utimes(join(directory, 'queries', 'open', `${grace}.json`), long, long)
    expect(await open.replace(edith, { items: [one] }, undefined)).toMatchObject({ revision: 1 })
    expect([(await open.get(grace)).revision, (await open.get(ada)).revision]).toEqual([0, 2])
  })

  test('of two who come at the same time, one gets the last place', async () => {
    const open = start(1)
    const both = await Promise.allSettled([ada, grace].map((caller) => open.replace(caller, { items: [] }, undefined)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('what cannot be written is refused, and what was there stays', async () => {
    const open = start()
    await open.replace(ada, { items: [one] }, undefined)
    const folder = join(directory, 'queries', 'open')
    await rename(folder, `${folder}.gone`)
    await writeFile(folder, '')
    await expect(open.replace(edith, { items: [] }, undefined)).rejects.toMatchObject({
      code: 'data_directory_unavailable',
    })
    await expect(open.get(ada)).rejects.toMatchObject({ code: 'data_directory_unavailable' })
    await rm(folder)
    await rename(`${folder}.gone`, folder)
    expect(await open.get(ada)).toMatchObject({ revision: 1, items: [one] })
  })
})
