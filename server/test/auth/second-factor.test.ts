// The second factor of a password: codes that work once, recovery codes, and who has to have one.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { TOTP } from 'otpauth'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { afterCode, factorOf, newRecoveryCodes, newSecret, stepOf, uriOf } from '../../src/auth/second-factor.js'
import { Users } from '../../src/auth/users.js'
import { type Gateway, useGateway } from '../gateway.js'
import { Browser } from './browser.js'
import { stillTime } from '../still-time.js'

const PASSWORD = 'correct horse battery staple'
const OTHER = 'four other random words'
const STEP_MS = 30_000
/** Of RFC 6238, appendix B. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const codeAt = (secret: string, ms: number): string => new TOTP({ secret }).generate({ timestamp: ms })

describe('codes', () => {
  // The RFC has eight digits; the last six are those of six digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i s the code is that of the RFC', (seconds, code) => {
    expect(stepOf(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  test('clocks may differ by one step, and by no more', () => {
    const [secret, nowMs] = [newSecret(), 1_800_000_000_000]
    const stepOfDrift = (steps: number) => stepOf(secret, codeAt(secret, nowMs + steps * STEP_MS), nowMs)
    const now = nowMs / STEP_MS
    expect([-2, -1, 0, 1, 2].map(stepOfDrift)).toEqual([undefined, now - 1, now, now + 1, undefined])
  })

  test.each(['١٢٣٤٥٦', '１２３４５６', 'éééééé', '12345', '1234567', '', '-12345', '0x1234'])(
    'what no app shows is none: %s',
    (code) => {
      expect(stepOf(RFC_SECRET, code, 59_000)).toBeUndefined()
    },
  )

  test('a code works once, and none of an earlier step after it', () => {
    const [secret, nowMs] = [newSecret(), 1_800_000_000_000]
    const first = factorOf(secret, nowMs / STEP_MS - 5, [], nowMs)
    const used = afterCode(first, codeAt(secret, nowMs), nowMs)
    expect(used?.step).toBe(nowMs / STEP_MS)
    const again = (steps: number) => used && afterCode(used, codeAt(secret, nowMs + steps * STEP_MS), nowMs)
    expect([again(0), again(-1), again(1)?.step]).toEqual([undefined, undefined, nowMs / STEP_MS + 1])
  })

  test('a recovery code works once, however it is typed', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    expect(codes.every((code) => /^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/.test(code))).toBe(true)
    const [first = ''] = codes
    const factor = factorOf(newSecret(), 1, codes, 0)
    const used = afterCode(factor, ` ${first.toLowerCase().replaceAll('-', ' ')} `, 0)
    expect(used?.recovery).toHaveLength(9)
    expect(used && afterCode(used, first, 0)).toBeUndefined()
  })

  test.each(['', '000', 'abc', '1234567', '😀'])('%j is no code', (code) => {
    expect(afterCode(factorOf(RFC_SECRET, 0, newRecoveryCodes(), 0), code, 0)).toBeUndefined()
  })

  test('an app reads whose secret it is, and of which server', () => {
    const uri = new URL(uriOf(RFC_SECRET, 'ada', 'db.example.com:7373'))
    expect(decodeURIComponent(uri.pathname)).toContain('Tessera:ada@db.example.com:7373')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'Tessera',
      secret: RFC_SECRET,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})

describe('what is kept of a second factor', () => {
  let directory: string
  let nowMs = 1_800_000_000_000
  const open = async (): Promise<Users> => {
    const users = new Users(
      directory,
      () => undefined,
      () => nowMs,
    )
    expect(await users.load()).toEqual([])
    return users
  }
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  /** A user with a factor. */
  const made = async () => {
    const users = await open()
    await users.create({ name: 'ada', grants: [{ role: 'writer' }], password: PASSWORD }, 'token')
    const [secret, codes] = [newSecret(), newRecoveryCodes()]
    await users.setFactor('ada', factorOf(secret, 1, codes, nowMs), undefined)
    return { users, secret, codes, stamp: users.stamp('ada') ?? '' }
  }

  test('a code that was used is refused after a restart', async () => {
    const { users, secret, codes, stamp } = await made()
    const [code, recovery] = [codeAt(secret, nowMs), codes[0] ?? '']
    expect(await users.useCode('ada', stamp, code)).toBe(true)
    expect(await users.useCode('ada', stamp, recovery)).toBe(true)
    const again = await open()
    expect(again.factorOf('ada')).toEqual({ since: new Date(nowMs).toISOString(), recoveryCodesLeft: 9 })
    expect(await again.useCode('ada', stamp, code)).toBe(false)
    expect(await again.useCode('ada', stamp, recovery)).toBe(false)
    nowMs += STEP_MS
    expect(await again.useCode('ada', stamp, codeAt(secret, nowMs))).toBe(true)
  })

  test('of two that come together with one code, one is let in', async () => {
    const { users, secret, codes, stamp } = await made()
    for (const code of [codeAt(secret, nowMs), codes[1] ?? '']) {
      const all = await Promise.all([1, 2, 3].map(() => users.useCode('ada', stamp, code)))
      expect(all.filter((isRight) => isRight)).toHaveLength(1)
    }
  })

  test('a code that cannot be written lets nobody in, and is not used up', async () => {
    const { users, secret, stamp } = await made()
    const code = codeAt(secret, nowMs)
    await rm(directory, { recursive: true })
    await expect(users.useCode('ada', stamp, code)).rejects.toMatchObject({ code: 'data_directory_unavailable' })
  })

  test('no answer has it, its owner alone reads the file, and recovery codes are hashes', async () => {
    const { users, secret, codes } = await made()
    expect(users.get('ada')).toMatchObject({ name: 'ada', secondFactorSince: new Date(nowMs).toISOString() })
    expect(JSON.stringify(users.list())).not.toContain(secret)
    const path = join(directory, 'access', 'users.json')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const text = await readFile(path, 'utf8')
    expect(codes.filter((code) => text.includes(code) || text.includes(code.replaceAll('-', '')))).toEqual([])
  })

  test('a file from before there were factors opens, and has none', async () => {
    const users = await open()
    await users.create({ name: 'ada', grants: [{ role: 'reader' }], password: PASSWORD }, 'token')
    expect(await readFile(join(directory, 'access', 'users.json'), 'utf8')).not.toContain('factor')
    const again = await open()
    expect(again.factorOf('ada')).toBeUndefined()
    expect(again.get('ada')).not.toHaveProperty('secondFactorSince')
  })

  test('another password keeps it, and a code is one of the password of now', async () => {
    const { users, secret, stamp } = await made()
    await users.change('ada', { password: OTHER })
    expect(users.factorOf('ada')).toBeDefined()
    expect(await users.useCode('ada', stamp, codeAt(secret, nowMs))).toBe(false)
    expect(await users.useCode('ada', users.stamp('ada') ?? '', codeAt(secret, nowMs))).toBe(true)
  })
})

const FACTOR = '/api/v1/auth/second-factor'
const trustedProxies = ['127.0.0.1']

let browsers = 0
/** Each at an address of its own, so that wrong guesses of one do not hold up another. */
function newBrowser(gateway: Gateway): Browser {
  browsers += 1
  return new Browser(gateway, `10.0.0.${browsers}`)
}

interface SetUp {
  browser: Browser
  secret: string
  recoveryCodes: string[]
}

/** People of a gateway whose clock is set by hand. */
function people(gateway: ReturnType<typeof useGateway>) {
  const make = (name: string, role = 'reader') =>
    gateway().ok('POST /api/v1/users', { body: { name, grants: [{ role }], password: PASSWORD } })
  const signedIn = async (name: string): Promise<Browser> => {
    const browser = newBrowser(gateway())
    expect((await browser.signIn(name)).status).toBe(200)
    return browser
  }
  const setUp = async (browser: Browser): Promise<SetUp> => {
    const { secret } = (await browser.send(`POST ${FACTOR}`)).json<{ secret: string }>()
    const answer = await browser.send(`PUT ${FACTOR}`, { code: codeAt(secret, Date.now()) })
    expect(answer.status).toBe(200)
    return { browser, secret, recoveryCodes: answer.json<{ recoveryCodes: string[] }>().recoveryCodes }
  }
  const withFactor = async (name: string, role?: string): Promise<SetUp> => {
    await make(name, role)
    return setUp(await signedIn(name))
  }
  const codeOf = async (answer: ReturnType<Browser['send']>): Promise<unknown[]> => {
    const { status, json } = await answer
    return [status, status < 300 ? undefined : json()['code']]
  }
  return { make, signedIn, setUp, withFactor, codeOf }
}

const statusOf = async (browser: Browser, line = 'GET /api/v1/auth/me') => (await browser.send(line)).status
const later = (): string => {
  vi.setSystemTime(Date.now() + STEP_MS)
  return ''
}

/** Timers go on: only the date stands still. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('a second factor', () => {
  const gateway = useGateway({ trustedProxies })
  const { make, signedIn, withFactor, codeOf } = people(gateway)

  test('is set up with a code, and is asked for from then on', async () => {
    await make('ada')
    const [browser, other] = [await signedIn('ada'), await signedIn('ada')]
    const begun = await browser.send(`POST ${FACTOR}`)
    const { secret, uri } = begun.json<{ secret: string; uri: string }>()
    expect(uri).toContain(`secret=${secret}`)
    expect(begun.headers['cache-control']).toBe('no-store')
    // It does not hold before it is confirmed.
    expect(await statusOf(await signedIn('ada'))).toBe(200)
    const wrong = codeAt(newSecret(), Date.now())
    expect(await codeOf(browser.send(`PUT ${FACTOR}`, { code: wrong }))).toEqual([403, 'code_invalid'])
    const code = codeAt(secret, Date.now())
    const confirmed = await browser.send(`PUT ${FACTOR}`, { code })
    expect(confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10)
    expect([await statusOf(browser), await statusOf(other)]).toEqual([200, 401])
    const me = (await browser.send('GET /api/v1/auth/me')).json()
    expect(me['secondFactor']).toEqual({ needed: false, since: expect.any(String), recoveryCodesLeft: 10 })

    const elsewhere = newBrowser(gateway())
    expect(await codeOf(elsewhere.signIn('ada'))).toEqual([403, 'code_required'])
    // The code that confirmed it was used.
    expect(await codeOf(elsewhere.signIn('ada', PASSWORD, code))).toEqual([403, 'code_invalid'])
    expect(elsewhere.cookies.size).toBe(0)
    later()
    const next = codeAt(secret, Date.now())
    const signIn = await elsewhere.signIn('ada', PASSWORD, next)
    expect(signIn.json()).toMatchObject({ user: 'ada', secondFactor: { recoveryCodesLeft: 10 } })
    expect(await codeOf(newBrowser(gateway()).signIn('ada', PASSWORD, next))).toEqual([403, 'code_invalid'])
    expect(await gateway().ok('GET /api/v1/users/ada')).toHaveProperty('secondFactorSince')
  })

  test('a recovery code signs in once', async () => {
    const { recoveryCodes } = await withFactor('lost')
    const code = recoveryCodes[3]
    const answer = await newBrowser(gateway()).signIn('lost', PASSWORD, code)
    expect(answer.json()).toMatchObject({ secondFactor: { recoveryCodesLeft: 9 } })
    expect(await codeOf(newBrowser(gateway()).signIn('lost', PASSWORD, code))).toEqual([403, 'code_invalid'])
  })

  test('of sign-ins that come together with one code, one opens a session', async () => {
    const { secret, recoveryCodes } = await withFactor('twins')
    later()
    for (const code of [codeAt(secret, Date.now()), recoveryCodes[0]]) {
      const all = await Promise.all([1, 2, 3].map(() => newBrowser(gateway()).signIn('twins', PASSWORD, code)))
      expect(all.map(({ status }) => status).toSorted()).toEqual([200, 403, 403])
    }
  })

  test('tells nothing to who does not know the password', async () => {
    const { secret } = await withFactor('quiet')
    later()
    const refusal = [401, 'auth_invalid']
    const browser = newBrowser(gateway())
    expect(await codeOf(browser.signIn('quiet', OTHER))).toEqual(refusal)
    expect(await codeOf(browser.signIn('quiet', OTHER, '000000'))).toEqual(refusal)
    const code = codeAt(secret, Date.now())
    expect(await codeOf(browser.signIn('quiet', OTHER, code))).toEqual(refusal)
    // With a wrong password the code was not used up.
    expect(await codeOf(browser.signIn('quiet', PASSWORD, code))).toEqual([200, undefined])
  })

  test('another password needs a code, and an easy one uses none up', async () => {
    const { browser, secret } = await withFactor('changer')
    later()
    const code = codeAt(secret, Date.now())
    const change = (newPassword: string, more: object = {}) =>
      codeOf(browser.send('POST /api/v1/auth/password', { password: PASSWORD, newPassword, ...more }))
    expect(await change(OTHER)).toEqual([403, 'code_required'])
    expect(await change(OTHER, { code: '000000' })).toEqual([403, 'code_invalid'])
    expect(await change('short', { code })).toEqual([400, 'field_invalid'])
    expect(await change(OTHER, { code })).toEqual([204, undefined])
    later()
    const signIn = newBrowser(gateway()).signIn('changer', OTHER, codeAt(secret, Date.now()))
    expect(await codeOf(signIn)).toEqual([200, undefined])
  })

  test('is removed by its user, whose other sessions end', async () => {
    const { browser, secret } = await withFactor('remover')
    later()
    const other = newBrowser(gateway())
    await other.signIn('remover', PASSWORD, codeAt(secret, Date.now()))
    expect(await codeOf(browser.send(`DELETE ${FACTOR}`))).toEqual([204, undefined])
    expect([await statusOf(browser), await statusOf(other)]).toEqual([200, 401])
    expect(await codeOf(browser.send(`DELETE ${FACTOR}`))).toEqual([404, 'second_factor_not_found'])
    expect(await codeOf(newBrowser(gateway()).signIn('remover'))).toEqual([200, undefined])
  })

  test('is removed by an administrator, and all sessions of the user end', async () => {
    const { browser } = await withFactor('helpless')
    const line = 'DELETE /api/v1/users/helpless/second-factor'
    const user = await gateway().ok(line)
    expect(user).not.toHaveProperty('secondFactorSince')
    expect(await statusOf(browser)).toBe(401)
    expect(await codeOf(newBrowser(gateway()).signIn('helpless'))).toEqual([200, undefined])
    expect((await gateway().send(line)).json()).toMatchObject({ code: 'second_factor_not_found', status: 404 })
  })

  test('an administrator who removes their own keeps the session', async () => {
    const { browser } = await withFactor('self', 'admin')
    expect(await statusOf(browser, 'DELETE /api/v1/users/self/second-factor')).toBe(200)
    expect(await statusOf(browser)).toBe(200)
  })

  test('another one takes its place, and the codes of the former are worth nothing', async () => {
    const { browser, secret, recoveryCodes } = await withFactor('mover')
    const { setUp } = people(gateway)
    later()
    const next = await setUp(browser)
    expect(next.secret).not.toBe(secret)
    later()
    for (const code of [codeAt(secret, Date.now()), recoveryCodes[0]])
      expect(await codeOf(newBrowser(gateway()).signIn('mover', PASSWORD, code))).toEqual([403, 'code_invalid'])
    const right = codeAt(next.secret, Date.now())
    expect(await codeOf(newBrowser(gateway()).signIn('mover', PASSWORD, right))).toEqual([200, undefined])
  })

  test('is confirmed in the session that began it, within 10 minutes', async () => {
    await make('slow')
    const [browser, other] = [await signedIn('slow'), await signedIn('slow')]
    const { secret } = (await browser.send(`POST ${FACTOR}`)).json<{ secret: string }>()
    const confirm = (at: Browser) => codeOf(at.send(`PUT ${FACTOR}`, { code: codeAt(secret, Date.now()) }))
    expect(await confirm(other)).toEqual([409, 'second_factor_not_begun'])
    vi.setSystemTime(Date.now() + 10 * 60_000)
    expect(await confirm(browser)).toEqual([409, 'second_factor_not_begun'])
  })

  test('of set-ups that are confirmed together, one holds, and its codes are those of the answer', async () => {
    await make('hasty')
    const [browser, other] = [await signedIn('hasty'), await signedIn('hasty')]
    const begin = async (at: Browser) => (await at.send(`POST ${FACTOR}`)).json<{ secret: string }>().secret
    const [secret, second] = [await begin(browser), await begin(other)]
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => browser.send(`PUT ${FACTOR}`, { code: codeAt(secret, Date.now()) })),
      other.send(`PUT ${FACTOR}`, { code: codeAt(second, Date.now()) }),
    ])
    const held = answers.filter(({ status }) => status === 200)
    expect(held).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200).map((answer) => answer.json()['code'])
    expect(new Set(refused)).toEqual(new Set(['second_factor_not_begun']))
    const [code] = held[0]?.json<{ recoveryCodes: string[] }>().recoveryCodes ?? []
    expect(await codeOf(newBrowser(gateway()).signIn('hasty', PASSWORD, code))).toEqual([200, undefined])
  })

  test('a browser that was left open has to sign in again', async () => {
    const { browser } = await withFactor('left', 'admin')
    await make('victim')
    vi.setSystemTime(Date.now() + 5 * 60_000 + 1)
    const again = [403, 'sign_in_again']
    expect(await codeOf(browser.send(`POST ${FACTOR}`))).toEqual(again)
    expect(await codeOf(browser.send(`DELETE ${FACTOR}`))).toEqual(again)
    expect(await codeOf(browser.send('DELETE /api/v1/users/left/second-factor'))).toEqual(again)
    // Each of these would be a way around it.
    const grants = [{ role: 'admin' }]
    expect(await codeOf(browser.send('POST /api/v1/tokens', { name: 'way-round', grants }))).toEqual(again)
    const user = { name: 'way-round', grants, password: PASSWORD }
    expect(await codeOf(browser.send('POST /api/v1/users', user))).toEqual(again)
    expect(await codeOf(browser.send('PATCH /api/v1/users/victim', { password: OTHER }))).toEqual(again)
    expect(await codeOf(browser.send('PATCH /api/v1/users/victim', { grants }))).toEqual(again)
    expect(await codeOf(browser.send('PATCH /api/v1/users/victim', { disabled: true }))).toEqual([200, undefined])
    // The token of a program is fresh each time.
    await gateway().ok('POST /api/v1/tokens', { body: { name: 'by-token', grants: [{ role: 'reader' }] } })
  })

  test.each(['POST', 'DELETE'])('only a user has one: %s', async (method) => {
    const answer = await gateway().send(`${method} ${FACTOR}`)
    expect([answer.status, answer.json()['code']]).toEqual([403, 'user_required'])
  })

  test('the audit log tells who, and no secret and no code', async () => {
    const { browser, secret, recoveryCodes } = await withFactor('told')
    later()
    const code = codeAt(secret, Date.now())
    await newBrowser(gateway()).signIn('told', PASSWORD, code)
    await browser.send(`DELETE ${FACTOR}`)
    gateway().app.auditFloods.flush()
    const { items } = await gateway().ok<{ items: { operation: string; outcome?: string; who: string }[] }>(
      'GET /api/v1/audit?limit=1000',
    )
    const own = items.filter(({ who, outcome }) => who === 'user:told' && outcome === 'ok')
    expect(own.map(({ operation }) => operation).toSorted()).toEqual([
      'beginSecondFactor',
      'confirmSecondFactor',
      'createLogin',
      'createLogin',
      'removeSecondFactor',
    ])
    const text = JSON.stringify(items)
    expect([secret, code, ...recoveryCodes].filter((one) => text.includes(one))).toEqual([])
  })
})

describe('wrong codes', () => {
  const gateway = useGateway({ trustedProxies })
  const { withFactor, codeOf } = people(gateway)

  test('have to wait as wrong passwords do', async () => {
    const { browser, secret } = await withFactor('guessed')
    later()
    stillTime()
    const stranger = newBrowser(gateway())
    for (let at = 0; at < 10; at += 1)
      expect(await codeOf(stranger.signIn('guessed', PASSWORD, 'AAAA'))).toEqual([403, 'code_invalid'])
    const right = codeAt(secret, Date.now())
    expect(await codeOf(stranger.signIn('guessed', PASSWORD, right))).toEqual([429, 'too_many_logins'])
    expect(await codeOf(stranger.signIn('guessed', PASSWORD))).toEqual([429, 'too_many_logins'])
    expect(await codeOf(newBrowser(gateway()).signIn('guessed', PASSWORD, right))).toEqual([429, 'too_many_logins'])
    expect(await codeOf(browser.signIn('guessed', PASSWORD, right))).toEqual([200, undefined])
  })
})

describe.each([
  ['all', ['reader', 'operator', 'admin'], []],
  ['operators', ['operator', 'admin'], ['reader', 'writer']],
  ['admins', ['admin'], ['reader', 'operator']],
] as const)('a server that demands it of %s', (secondFactor, demanded, others) => {
  const gateway = useGateway({ secondFactor, trustedProxies })
  const { make, signedIn, setUp, codeOf } = people(gateway)

  test.each(demanded)('lets a session of the role %s set one up, and nothing else', async (role) => {
    await make(role, role)
    const browser = await signedIn(role)
    const me = (await browser.send('GET /api/v1/auth/me')).json()
    expect(me['secondFactor']).toEqual({ needed: true })
    for (const line of [
      'GET /api/v1/status',
      'GET /api/v1/sessions',
      'GET /api/v1/live',
      'GET /docs/errors',
      'GET /v1/cluster',
    ])
      expect(await statusOf(browser, line), line).toBe(403)
    const change = { password: PASSWORD, newPassword: OTHER }
    const required = [403, 'second_factor_required']
    expect(await codeOf(browser.send('POST /api/v1/auth/password', change))).toEqual(required)
    expect(await codeOf(browser.send('GET /api/v1/status'))).toEqual(required)
    const names = async () => (await browser.send('GET /readyz')).text
    const before = await names()
    await setUp(browser)
    expect(await statusOf(browser, 'GET /api/v1/status')).toBe(200)
    expect(before).not.toContain('"namespaces":[')
    expect((await browser.send(`DELETE ${FACTOR}`)).status).toBe(204)
    expect(await codeOf(browser.send('GET /api/v1/status'))).toEqual(required)
    expect((await browser.send('POST /api/v1/auth/logout')).status).toBe(204)
  })

  test('asks nothing of others, of tokens and of a session of the administrator token', async () => {
    for (const role of others) {
      await make(`other-${role}`, role)
      const browser = await signedIn(`other-${role}`)
      expect(await statusOf(browser, 'GET /api/v1/status')).toBe(200)
      expect((await browser.send('GET /api/v1/auth/me')).json()['secondFactor']).toEqual({ needed: false })
    }
    expect((await gateway().send('GET /api/v1/status')).status).toBe(200)
    const administrator = newBrowser(gateway())
    await administrator.send('POST /api/v1/auth/login', { token: 'T'.repeat(43) })
    expect(await statusOf(administrator, 'GET /api/v1/status')).toBe(200)
  })

  test('holds for the next request of who gets such a role', async () => {
    await make('riser', others[0] ?? 'reader')
    const browser = await signedIn('riser')
    await gateway().ok('PATCH /api/v1/users/riser', {
      body: { grants: [{ role: demanded[0], ...(demanded[0] === 'operator' && { namespace: 'shop' }) }] },
    })
    expect(await codeOf(browser.send('GET /api/v1/namespaces'))).toEqual([403, 'second_factor_required'])
  })
})
