// Who gets in, and who does not.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Access } from '../../src/auth/access.js'
import { isLocalHost, isSameOrigin, tokenIn } from '../../src/auth/credentials.js'
import { loadToken } from '../../src/auth/admin-token.js'
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

  test('a code works once, within an hour', () => {
    vi.useFakeTimers()
    const access = new Access(token)
    const { secret } = access.newCode()
    expect(access.redeem(secret)).toBe(true)
    expect([access.redeem(secret), access.redeem('guess')]).toEqual([false, false])
    const late = access.newCode()
    vi.advanceTimersByTime(60 * 60_000)
    expect(access.redeem(late.secret)).toBe(false)
  })

  test('each token has cookies of its own, and the same ones after a restart', () => {
    expect(new Access(token).id).toBe(new Access(token).id)
    expect(new Access('B'.repeat(43)).id).not.toBe(new Access(token).id)
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

  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'http://localhost:7373' }, true],
    [{ origin: 'https://localhost:7373' }, false],
    [{ origin: 'http://localhost:7374' }, false],
    [{ origin: 'http://localhost' }, false],
    [{ origin: 'http://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{}, true],
  ])('same origin of %j: %s', (headers, expected) => {
    expect(isSameOrigin({ headers, protocol: 'http', host: 'localhost:7373' })).toBe(expected)
  })

  test('a default port is the same with and without its number', () => {
    const headers = { origin: 'https://db.example.com' }
    expect(isSameOrigin({ headers, protocol: 'https', host: 'db.example.com:443' })).toBe(true)
    expect(isSameOrigin({ headers, protocol: 'http', host: 'db.example.com:443' })).toBe(false)
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
