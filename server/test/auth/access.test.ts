// Who gets in, and who does not.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Access } from '../../src/auth/access.js'
import { isLocalHost, isSameOrigin, sessionIn, tokenIn } from '../../src/auth/credentials.js'
import { loadToken } from '../../src/auth/token.js'
import { ConfigError } from '../../src/config.js'

describe('loadToken', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  test('makes a token of 32 bytes for its owner only, and keeps it', async () => {
    const token = await loadToken(join(directory, 'new'))
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const path = join(directory, 'new', 'admin.token')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toBe(`${token}\n`)
    expect(await loadToken(join(directory, 'new'))).toBe(token)
  })

  test('refuses a file that holds no token', async () => {
    await writeFile(join(directory, 'admin.token'), 'hunter2')
    await expect(loadToken(directory)).rejects.toThrow('admin.token')
  })

  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['huge', (path: string) => (writeFileSync(path, ''), truncateSync(path, 2 ** 31))],
  ])('tells in one line that the file is %s', async (_how, make) => {
    const path = join(directory, 'admin.token')
    make(path)
    const failure: unknown = await loadToken(directory).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect((failure as Error).message).toMatch(
      new RegExp(`^${path} contains no token[^\\n]*; remove it and start again`),
    )
  })
})

describe('Access', () => {
  const token = 'A'.repeat(43)
  afterEach(() => vi.useRealTimers())

  test('takes the token and nothing else', () => {
    const access = new Access(token)
    expect(access.isToken(token)).toBe(true)
    for (const other of ['', 'A', token.slice(1), `${token}A`, `${'A'.repeat(42)}B`, 'Ā'.repeat(43)]) {
      expect(access.isToken(other), other).toBe(false)
    }
  })

  test('a code works once', () => {
    const access = new Access(token)
    const { secret } = access.newCode()
    const session = access.redeem(secret)
    expect(session && access.sessionEnd(session.secret)).toBe(session?.expiresAtMs)
    expect(access.redeem(secret)).toBeNull()
    expect(access.redeem('guess')).toBeNull()
  })

  test('codes and sessions end', () => {
    vi.useFakeTimers()
    const access = new Access(token)
    const late = access.newCode()
    const session = access.redeem(access.newCode().secret)?.secret ?? ''
    vi.advanceTimersByTime(61 * 60_000)
    expect(access.redeem(late.secret)).toBeNull()
    expect(access.sessionEnd(session)).not.toBeNull()
    vi.advanceTimersByTime(12 * 60 * 60_000)
    expect(access.sessionEnd(session)).toBeNull()
  })

  test('a session ends with its logout', () => {
    const access = new Access(token)
    const session = access.redeem(access.newCode().secret)?.secret ?? ''
    access.endSession(session)
    expect(access.sessionEnd(session)).toBeNull()
  })

  test('failed logins wait, by address, until the window is over', () => {
    vi.useFakeTimers()
    const access = new Access(token)
    const waits = Array.from({ length: 12 }, () => access.failed('10.0.0.1'))
    expect(waits.slice(0, 10)).toEqual(Array(10).fill(0))
    expect(waits[10]).toBeGreaterThan(0)
    expect(access.failed('10.0.0.2')).toBe(0)
    vi.advanceTimersByTime(60_001)
    expect(access.failed('10.0.0.1')).toBe(0)
  })
})

describe('credentials', () => {
  test('tokens come as Bearer, and as the password of Basic where that is taken', () => {
    const basic = `Basic ${Buffer.from('admin:se:cret').toString('base64')}`
    expect(tokenIn('Bearer secret', false)).toBe('secret')
    expect(tokenIn(basic, true)).toBe('se:cret')
    expect(tokenIn(basic, false)).toBeNull()
    expect(tokenIn('Basic !!!', true)).toBeNull()
    expect(tokenIn('Digest x', true)).toBeNull()
    expect(tokenIn('Bearer', true)).toBeNull()
  })

  test.each(['bearer', 'BEARER', 'bEaReR'])('the case of a scheme does not matter: %s', (scheme) => {
    expect(tokenIn(`${scheme} Secret`, false)).toBe('Secret')
    const pair = Buffer.from('admin:Secret').toString('base64')
    expect(tokenIn(`${scheme === 'bearer' ? 'basic' : 'BASIC'} ${pair}`, true)).toBe('Secret')
  })

  test('the session is read from its cookie only', () => {
    expect(sessionIn({ cookie: 'a=b; tessera_session=xyz; c=d' })).toBe('xyz')
    expect(sessionIn({ cookie: 'not_tessera_session=xyz' })).toBeNull()
    expect(sessionIn({})).toBeNull()
  })

  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'http://localhost:7373', host: 'localhost:7373' }, true],
    [{ origin: 'http://evil.example', host: 'localhost:7373' }, false],
    [{ origin: 'null', host: 'localhost:7373' }, false],
    [{}, true],
  ])('same origin of %j: %s', (headers, expected) => {
    expect(isSameOrigin(headers)).toBe(expected)
  })

  test.each([
    ['localhost:7373', true],
    ['127.0.0.1', true],
    ['127.0.0.1:7373', true],
    ['[::1]:7373', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example:7373', false],
    [undefined, false],
  ])('local host %s: %s', (host, expected) => {
    expect(isLocalHost(host)).toBe(expected)
  })
})
