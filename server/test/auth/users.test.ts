// Users: they sign in with a password, may do what their role says, and every change holds at once.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Passwords } from '../../src/auth/passwords.js'
import { Users } from '../../src/auth/users.js'
import { type Answer, useGateway } from '../gateway.js'
import { stillTime } from '../still-time.js'
import { Browser } from './browser.js'

const PASSWORD = 'correct horse battery staple'
const OTHER = 'four other random words'

describe('users', () => {
  const gateway = useGateway()
  const make = (name: string, role = 'operator') =>
    gateway().ok('POST /api/v1/users', { body: { name, grants: [{ role }], password: PASSWORD } })
  const signedIn = async (name: string, password?: string): Promise<Browser> => {
    const browser = new Browser(gateway())
    expect((await browser.signIn(name, password)).status).toBe(200)
    return browser
  }
  const statusOf = async (browser: Browser, line = 'GET /api/v1/auth/me') => (await browser.send(line)).status

  test('a user signs in and may do what the role allows, under a name', async () => {
    expect(await make('ada')).toEqual({
      name: 'ada',
      grants: [{ role: 'operator' }],
      disabled: false,
      createdAt: expect.any(String),
      who: 'token',
    })
    const browser = new Browser(gateway())
    const answer = await browser.signIn('ada')
    expect(answer.json()).toMatchObject({
      user: 'ada',
      grants: [{ role: 'operator' }],
      method: 'session',
      hasPassword: true,
    })
    expect((await browser.send('GET /api/v1/auth/me')).json()).toMatchObject({ user: 'ada', hasPassword: true })
    const saved = await browser.send('POST /api/v1/queries', { name: 'mine', namespace: 'shop', request: '{}' })
    expect(saved.json()).toMatchObject({ who: 'user:ada' })
    const refused = await browser.send('GET /api/v1/users')
    expect([refused.status, refused.json()['detail']]).toEqual([403, expect.stringContaining('admin')])
    await gateway().app.users.close()
    expect(await gateway().ok('GET /api/v1/users/ada')).toHaveProperty('lastSignInAt')
  })

  test('no answer and no file has a password', async () => {
    await make('secretive')
    const file = await readFile(join(gateway().directory, 'access', 'users.json'), 'utf8')
    expect(file).not.toContain(PASSWORD)
    expect(file).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
    expect((await gateway().send('GET /api/v1/users')).text).not.toContain('argon2')
  })

  test.each([
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'eleven long' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'p'.repeat(257) }, 'field_invalid'],
    [{ name: 'grace', grants: [{ role: 'reader' }], password: 'my name is Grace!' }, 'field_invalid'],
    // Common, a row of keys, repeats, this product.
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'leavemealone' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'Qwerty123456!' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'p4ssw0rdp4ssw0rd' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'a'.repeat(256) }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 'Tessera12345' }, 'field_invalid'],
    [{ name: 'a b', grants: [{ role: 'reader' }], password: PASSWORD }, 'name_invalid'],
    [{ name: 'x', grants: [{ role: 'root' }], password: PASSWORD }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }] }, 'field_missing'],
    [{ name: 'x', grants: [{ role: 'reader' }], password: 123456789012 }, 'field_invalid'],
  ])('%j is refused, and the password is not repeated', async (body, code) => {
    const answer = await gateway().send('POST /api/v1/users', { body })
    expect([answer.status, answer.json()['code']]).toEqual([400, code])
    expect(answer.text).not.toContain(String('password' in body ? body.password : 'correct'))
  })

  test.each(['pvqkzwhtmrbx', '🐎🌵🚲🧅🪁🧦🎺🦑🧊🪜🧯🦦', ' spaces  count ', `${'seven oak drums '.repeat(15)}and tea`])(
    'the password %j is taken',
    async (password) => {
      const name = `long-${password.length}`
      await gateway().ok('POST /api/v1/users', { body: { name, grants: [{ role: 'reader' }], password } })
      expect(await statusOf(await signedIn(name, password))).toBe(200)
    },
  )

  test('a name is used once, in any case', async () => {
    await make('twin')
    const again = await gateway().send('POST /api/v1/users', {
      body: { name: 'TWIN', grants: [{ role: 'admin' }], password: PASSWORD },
    })
    expect([again.status, again.json()['code']]).toEqual([409, 'user_exists'])
  })

  test('an unknown user, a wrong password and a disabled user have one answer', async () => {
    await make('asleep')
    await make('awake')
    await gateway().ok('PATCH /api/v1/users/asleep', { body: { disabled: true } })
    const browser = new Browser(gateway())
    const answers = [
      await browser.signIn('asleep'),
      await browser.signIn('awake', OTHER),
      await browser.signIn('nobody'),
    ].map((answer) => [answer.status, answer.json()['code'], answer.json()['detail'], answer.headers['set-cookie']])
    const refusal = [401, 'auth_invalid', 'the user or the password is wrong', undefined]
    expect(answers).toEqual([refusal, refusal, refusal])
  })

  test('a new role holds for the next request', async () => {
    await make('riser', 'reader')
    const browser = await signedIn('riser')
    expect(await statusOf(browser, 'GET /api/v1/users')).toBe(403)
    await gateway().ok('PATCH /api/v1/users/riser', { body: { grants: [{ role: 'admin' }] } })
    expect(await statusOf(browser, 'GET /api/v1/users')).toBe(200)
    await gateway().ok('PATCH /api/v1/users/riser', { body: { grants: [{ role: 'reader' }] } })
    expect(await statusOf(browser, 'GET /api/v1/users')).toBe(403)
  })

  test.each<[string, (name: string) => Promise<unknown>]>([
    ['disabled', (name) => gateway().ok(`PATCH /api/v1/users/${name}`, { body: { disabled: true } })],
    ['removed', (name) => gateway().ok(`DELETE /api/v1/users/${name}`)],
    ['given another password', (name) => gateway().ok(`PATCH /api/v1/users/${name}`, { body: { password: OTHER } })],
  ])('a user who is %s is signed out, and stays so', async (how, end) => {
    const name = `gone-${how.slice(0, 5).trim()}`
    await make(name)
    const browser = await signedIn(name)
    await end(name)
    expect(await statusOf(browser)).toBe(401)
    expect((await browser.signIn(name)).status).toBe(401)
    // The same name again opens no session of before.
    await gateway().send(`PATCH /api/v1/users/${name}`, { body: { disabled: false } })
    await gateway().send('POST /api/v1/users', { body: { name, grants: [{ role: 'admin' }], password: PASSWORD } })
    expect(await statusOf(browser)).toBe(401)
  })

  test('a sign-in that is under way when the user is disabled opens nothing', async () => {
    await make('racer')
    const browser = new Browser(gateway())
    const [signIn] = await Promise.all([
      browser.signIn('racer'),
      gateway().ok('PATCH /api/v1/users/racer', { body: { disabled: true } }),
    ])
    expect([200, 401]).toContain(signIn.status)
    expect(await statusOf(browser)).toBe(401)
  })

  test('a user changes the password with the old one, and the other sessions end', async () => {
    await make('changer')
    const [browser, other] = [await signedIn('changer'), await signedIn('changer')]
    const change = (password: string, newPassword: string) =>
      browser.send('POST /api/v1/auth/password', { password, newPassword })
    expect((await change(OTHER, OTHER)).json()).toMatchObject({ code: 'password_wrong', status: 403 })
    expect((await change(PASSWORD, 'short')).json()).toMatchObject({ code: 'field_invalid', field: 'newPassword' })
    expect((await change(PASSWORD, OTHER)).status).toBe(204)
    expect([await statusOf(browser), await statusOf(other)]).toEqual([200, 401])
    expect((await other.signIn('changer')).status).toBe(401)
    expect((await other.signIn('changer', OTHER)).status).toBe(200)
  })

  test('only a user has a password to change', async () => {
    const body = { password: PASSWORD, newPassword: OTHER }
    const answer = await gateway().send('POST /api/v1/auth/password', { body })
    expect([answer.status, answer.json()['code']]).toEqual([403, 'user_required'])
  })

  test.each([
    [{ user: 'ada' }, 'field_missing', 'password'],
    [{ password: PASSWORD }, 'field_missing', 'user'],
    [{ user: 'ada', password: PASSWORD, token: 'x' }, 'field_invalid', 'token'],
  ])('a login with %j is refused', async (body, code, field) => {
    const answer = await gateway().send('POST /api/v1/auth/login', { anonymous: true, body })
    expect(answer.json()).toMatchObject({ code, field, status: 400 })
  })

  test('a page of another site cannot sign a browser in', async () => {
    const answer = await new Browser(gateway()).send(
      'POST /api/v1/auth/login',
      { user: 'ada', password: PASSWORD },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect([answer.json()['code'], answer.headers['set-cookie']]).toEqual(['origin_refused', undefined])
  })

  test('everybody sees and ends their own sessions, administrators all', async () => {
    await make('one', 'reader')
    await make('two', 'reader')
    const agent = { 'user-agent': 'Browser of one' }
    const browser = new Browser(gateway())
    await browser.send('POST /api/v1/auth/login', { user: 'one', password: PASSWORD }, agent)
    const two = await signedIn('two')
    const listed = (await browser.send('GET /api/v1/sessions')).json<{ items: { id: string }[] }>().items
    expect(listed).toMatchObject([
      { user: 'one', grants: [{ role: 'reader' }], current: true, address: '127.0.0.1', userAgent: 'Browser of one' },
    ])
    const all = await gateway().ok<{ items: { id: string; user?: string }[] }>('GET /api/v1/sessions')
    const idOfTwo = all.items.find(({ user }) => user === 'two')?.id ?? ''
    expect(await statusOf(browser, `DELETE /api/v1/sessions/${idOfTwo}`)).toBe(404)
    expect(await statusOf(two)).toBe(200)
    await gateway().ok(`DELETE /api/v1/sessions/${idOfTwo}`)
    expect(await statusOf(two)).toBe(401)
    expect(await statusOf(browser, `DELETE /api/v1/sessions/${listed[0]?.id}`)).toBe(200)
    expect(await statusOf(browser)).toBe(401)
  })

  test('to end another session, a browser has to sign in again', async () => {
    await make('left', 'reader')
    const elsewhere = await signedIn('left')
    const browser = await signedIn('left')
    const ids = async () =>
      (await browser.send('GET /api/v1/sessions')).json<{ items: { id: string; current: boolean }[] }>().items
    for (const session of gateway().app.sessions.list())
      if (session.user?.name === 'left') session.signedInAtMs -= 5 * 60_000 + 1
    const other = (await ids()).find(({ current }) => !current)?.id
    const refused = await browser.send(`DELETE /api/v1/sessions/${other}`)
    expect(refused.json()).toMatchObject({ code: 'sign_in_again', status: 403, retryable: false })
    expect(await statusOf(elsewhere)).toBe(200)
    await browser.signIn('left')
    expect(await statusOf(browser, `DELETE /api/v1/sessions/${other}`)).toBe(200)
    expect(await statusOf(elsewhere)).toBe(401)
    for (const session of gateway().app.sessions.list()) session.signedInAtMs = 0
    const own = (await ids()).find(({ current }) => current)?.id
    expect(await statusOf(browser, `DELETE /api/v1/sessions/${own}`)).toBe(200)
  })

  test('an automatic request does not count as use', async () => {
    await make('watcher', 'reader')
    const browser = await signedIn('watcher')
    const lastUse = async () => {
      const { items } = await gateway().ok<{ items: { user?: string; lastUsedAt: string }[] }>('GET /api/v1/sessions')
      return items.find(({ user }) => user === 'watcher')?.lastUsedAt
    }
    const session = gateway()
      .app.sessions.list()
      .find(({ user }) => user?.name === 'watcher')
    if (session !== undefined) session.usedAtMs -= 1000
    const before = await lastUse()
    await browser.send('GET /api/v1/status', undefined, { 'x-automatic': 'true' })
    expect(await lastUse()).toBe(before)
    await browser.send('GET /api/v1/status')
    expect(await lastUse()).not.toBe(before)
  })

  test('signing in again ends the session that the browser had', async () => {
    await make('again', 'reader')
    const browser = await signedIn('again')
    await browser.signIn('again')
    const listed = (await browser.send('GET /api/v1/sessions')).json<{ items: object[] }>().items
    expect(listed).toHaveLength(1)
  })
})

describe('guesses over HTTP', () => {
  const gateway = useGateway()

  test('one count for all routes and schemes, and no lock-out of those who were in', async () => {
    const { send, ok } = gateway()
    await ok('POST /api/v1/users', { body: { name: 'ada', grants: [{ role: 'reader' }], password: PASSWORD } })
    const { token } = await ok<{ token: string }>('POST /api/v1/tokens', {
      body: { name: 'fresh', grants: [{ role: 'reader' }] },
    })
    const known = new Browser(gateway())
    await known.signIn('ada')
    const basic = (text: string) => `Basic ${Buffer.from(`any:${text}`).toString('base64')}`
    const login = (body: object) => send('POST /api/v1/auth/login', { anonymous: true, body })
    const ways: ((guess: string) => Promise<Answer>)[] = [
      (guess) => send('GET /api/v1/status', { headers: { authorization: `Bearer ${guess}` } }),
      (guess) => send('GET /v1/cluster', { headers: { authorization: `bearer ${guess}` } }),
      (guess) => send('GET /v1/cluster', { headers: { authorization: basic(guess) } }),
      (guess) => send('PUT /ycsb/a/b/c', { headers: { authorization: `Bearer ${guess}` }, body: 'x' }),
      (guess) => send('POST /api/v1/auth/login', { headers: { authorization: `Bearer ${guess}` } }),
      (guess) => login({ token: guess }),
      (guess) => login({ user: `user-${guess}`, password: guess }),
      (guess) => send(`GET /login?code=${guess}`, { anonymous: true }),
      (guess) => send('GET /metrics', { headers: { authorization: `Bearer ${guess}` } }),
      (guess) => send('GET /docs/errors', { headers: { authorization: `Bearer ${guess}` } }),
    ]
    stillTime()
    const first = await Promise.all(ways.map((way, at) => way(`wrong-${at}`)))
    expect(first.map(({ status }) => status)).toEqual(Array(10).fill(401))
    for (const way of ways) expect((await way('one-more')).status).toBe(429)
    // A right one that was not seen from here before is not looked at either.
    expect((await send('GET /api/v1/status', { headers: { authorization: `Bearer ${token}` } })).status).toBe(429)
    expect((await login({ user: 'ada', password: PASSWORD })).json()).toMatchObject({ code: 'too_many_logins' })
    expect((await send('GET /api/v1/status')).status).toBe(200)
    expect((await known.send('GET /api/v1/status')).status).toBe(200)
    expect((await known.signIn('ada')).status).toBe(200)
  })
})

describe('what is kept of users', () => {
  let directory: string
  const open = async (): Promise<{ users: Users; damages: string[] }> => {
    const users = new Users(directory, () => undefined)
    return { users, damages: await users.load() }
  }
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  test('users outlast a restart', async () => {
    const { users } = await open()
    await users.create({ name: 'ada', grants: [{ role: 'writer' }], password: PASSWORD }, 'token')
    users.signedIn('ada')
    await users.close()
    const again = await open()
    expect(again.damages).toEqual([])
    expect(again.users.list()).toEqual(users.list())
    expect(again.users.get('ada').lastSignInAt).toBeDefined()
    expect(await again.users.stampOf('ada', PASSWORD)).toBeDefined()
  })

  test('of a damaged file no user is let in, and it is told', async () => {
    const { users } = await open()
    await users.create({ name: 'ada', grants: [{ role: 'reader' }], password: PASSWORD }, 'token')
    const path = join(directory, 'access', 'users.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"reader"', '"admin"'))
    const again = await open()
    expect(again.damages).toEqual([expect.stringContaining('checksum')])
    expect(await again.users.stampOf('ada', PASSWORD)).toBeUndefined()
  })

  test('that no user was made is no damage, whatever became of the tokens', async () => {
    const folder = join(directory, 'access')
    await mkdir(folder)
    for (const name of ['tokens.json', 'tokens.json.damaged', 'tokens.json.damaged-2'])
      await writeFile(join(folder, name), '{')
    expect((await open()).damages).toEqual([])
    await writeFile(join(folder, 'users.json.damaged'), '{')
    expect((await open()).damages).toEqual([expect.stringContaining('users.json is missing')])
  })

  test('what cannot be written does not hold', async () => {
    const { users } = await open()
    await users.create({ name: 'ada', grants: [{ role: 'reader' }], password: PASSWORD }, 'token')
    await rm(directory, { recursive: true })
    await expect(users.change('ada', { grants: [{ role: 'admin' }] })).rejects.toMatchObject({
      code: 'data_directory_unavailable',
    })
    expect(users.get('ada').grants).toEqual([{ role: 'reader' }])
  })
})

describe('passwords', () => {
  test('few are checked at once, and a long queue is refused', async () => {
    const passwords = new Passwords()
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.isRight(undefined, PASSWORD)))
    const refused = all.filter((one) => one.status === 'rejected')
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(6).fill('overloaded'))
    expect(all.filter((one) => one.status === 'fulfilled').map(({ value }) => value)).toEqual(Array(34).fill(false))
    expect(await passwords.isRight(await passwords.hash(PASSWORD), PASSWORD)).toBe(true)
  })

  test('the same letters are the same password, however a keyboard writes them', async () => {
    const passwords = new Passwords()
    const hash = await passwords.hash('Zürich im Frühling')
    expect(await passwords.isRight(hash, 'Zürich im Frühling'.normalize('NFD'))).toBe(true)
  })
})
