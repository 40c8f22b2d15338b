// API tokens: what they open, when they end, and what is kept of them.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiTokens } from '../../src/auth/api-tokens.js'
import { useGateway } from '../gateway.js'

interface Made {
  id: string
  token: string
}

describe('API tokens', () => {
  const gateway = useGateway()
  const make = (body: object) => gateway().ok<Made>('POST /api/v1/tokens', { body })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })

  test('a token opens what its role may do until it is revoked', async () => {
    const { send, ok } = gateway()
    const { id, token } = await make({ name: 'loader', grants: [{ role: 'writer' }] })
    expect((await send('GET /api/v1/status', { headers: as(token) })).status).toBe(200)
    const refused = await send('DELETE /api/v1/slow', { headers: as(token) })
    expect(refused.status).toBe(403)
    expect(refused.json()).toMatchObject({ code: 'role_required', detail: expect.stringContaining('operator') })
    expect(await ok('GET /api/v1/auth/me', { headers: as(token) })).toEqual({
      id: expect.any(String),
      user: 'loader',
      grants: [{ role: 'writer' }],
      method: 'token',
    })
    expect(await ok(`DELETE /api/v1/tokens/${id}`)).toMatchObject({ name: 'loader' })
    expect((await send('GET /api/v1/status', { headers: as(token) })).json()).toMatchObject({ code: 'auth_invalid' })
    expect((await send(`GET /api/v1/tokens/${id}`)).json()).toMatchObject({ code: 'token_not_found' })
  })

  test('it works as the password of Basic on /v1, and starts no session', async () => {
    const { send } = gateway()
    const { token } = await make({ name: 'old-client', grants: [{ role: 'reader' }] })
    const basic = `Basic ${Buffer.from(`any:${token}`).toString('base64')}`
    expect((await send('GET /v1/cluster', { headers: { authorization: basic } })).status).toBe(200)
    expect((await send('POST /v1/kvs/absent/k', { headers: { authorization: basic }, body: { a: 1 } })).status).toBe(
      403,
    )
    const login = await send('POST /api/v1/auth/login', { anonymous: true, body: { token } })
    expect([login.status, login.headers['set-cookie']]).toEqual([403, undefined])
  })

  test('only administrators manage tokens, and no answer has a secret again', async () => {
    const { send, ok } = gateway()
    const { id, token } = await make({ name: 'chief', grants: [{ role: 'admin' }] })
    const listed = await send('GET /api/v1/tokens', { headers: as(token) })
    expect(listed.status).toBe(200)
    expect(listed.text).not.toContain(token)
    expect(await ok(`GET /api/v1/tokens/${id}`)).toMatchObject({ name: 'chief', prefix: token.slice(0, 10) })
    const file = await readFile(join(gateway().directory, 'access', 'tokens.json'), 'utf8')
    expect(file).not.toContain(token)
    const made = await ok('POST /api/v1/tokens', {
      body: { name: 'second', grants: [{ role: 'reader' }] },
      headers: as(token),
    })
    expect(made).toMatchObject({ who: 'token:chief' })
  })

  test('what a token starts has its name', async () => {
    const { token } = await make({ name: 'author', grants: [{ role: 'writer' }] })
    const request = { name: 'mine', namespace: 'shop', request: '{}' }
    const saved = await gateway().ok('POST /api/v1/queries', { body: request, headers: as(token) })
    expect(saved).toMatchObject({ who: 'token:author' })
  })

  test.each([
    [{ name: 'no-role' }, 'field_missing'],
    [{ name: 'a b', grants: [{ role: 'reader' }] }, 'name_invalid'],
    [{ name: 'x', grants: [{ role: 'root' }] }, 'field_invalid'],
    [{ name: 'x', grants: [] }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'admin', namespace: 'shop' }] }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader', setPrefix: 'eu-' }] }, 'field_missing'],
    [{ name: 'x', grants: [{ role: 'operator', namespace: 'shop', setPrefix: 'eu-' }] }, 'field_invalid'],
    [{ name: 'x', role: 'reader' }, 'field_missing'],
    [{ name: 'x', grants: [{ role: 'reader' }], expiresAt: '2020-01-01T00:00:00Z' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], expiresAt: 'soon' }, 'field_invalid'],
    [{ name: 'x', grants: [{ role: 'reader' }], secret: 'mine' }, 'field_unknown'],
  ])('%j is refused', async (body, code) => {
    const answer = await gateway().send('POST /api/v1/tokens', { body })
    expect([answer.status, answer.json()['code']]).toEqual([400, code])
  })

  test('a name is used once', async () => {
    await make({ name: 'twin', grants: [{ role: 'reader' }] })
    const again = await gateway().send('POST /api/v1/tokens', { body: { name: 'twin', grants: [{ role: 'admin' }] } })
    expect([again.status, again.json()['code']]).toEqual([409, 'token_exists'])
  })
})

describe('what is kept of API tokens', () => {
  let directory: string
  let opened: ApiTokens[]
  let warnings: unknown[]
  const open = async (): Promise<{ tokens: ApiTokens; damages: string[] }> => {
    const tokens = new ApiTokens(directory, (error) => warnings.push(error))
    opened.push(tokens)
    return { tokens, damages: await tokens.load() }
  }
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
    opened = []
    warnings = []
  })
  afterEach(async () => {
    vi.useRealTimers()
    // Else a time of last use is written when the directory is gone.
    for (const tokens of opened) await tokens.close()
    await rm(directory, { recursive: true, force: true })
  })

  test('tokens and when they were used outlast a restart', async () => {
    const { tokens } = await open()
    const { token } = await tokens.create({ name: 'kept', grants: [{ role: 'operator' }] }, 'token')
    expect(tokens.accept(token)).toMatchObject({ grants: [{ role: 'operator' }] })
    await tokens.close()
    expect(warnings).toEqual([])
    const again = await open()
    expect(again.tokens.list()).toEqual(tokens.list())
    expect(again.tokens.list()[0]?.lastUsedAt).toMatch(/:00\.000Z$/)
    expect(again.tokens.accept(token)).toMatchObject({ name: 'kept' })
  })

  test('a token ends when it expires, also for who watches it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { tokens } = await open()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await tokens.create({ name: 'short', grants: [{ role: 'reader' }], expiresAt }, 'token')
    const kept = tokens.accept(token)
    const hasEnded = kept && tokens.watch(kept)
    expect(hasEnded?.()).toBe(false)
    vi.setSystemTime(Date.now() + 60_000)
    expect([hasEnded?.(), tokens.accept(token)]).toEqual([true, undefined])
  })

  test('one that is revoked ends for who watches it', async () => {
    const { tokens } = await open()
    const { token, made } = await tokens.create({ name: 'gone', grants: [{ role: 'reader' }] }, 'token')
    const kept = tokens.accept(token)
    const hasEnded = kept && tokens.watch(kept)
    await tokens.revoke(made.id)
    expect([hasEnded?.(), tokens.accept(token)]).toEqual([true, undefined])
  })

  test('of a damaged file no token is accepted, and it is told', async () => {
    const { tokens } = await open()
    const { token } = await tokens.create({ name: 'lost', grants: [{ role: 'admin' }] }, 'token')
    const path = join(directory, 'access', 'tokens.json')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('"admin"', '"reader"'))
    const again = await open()
    expect(again.damages).toEqual([expect.stringContaining('checksum')])
    expect(again.tokens.accept(token)).toBeUndefined()
  })

  test('that no token was made is no damage, whatever became of the users', async () => {
    const folder = join(directory, 'access')
    await mkdir(folder)
    for (const name of ['users.json', 'users.json.damaged', 'users.json.damaged-2'])
      await writeFile(join(folder, name), '{')
    expect((await open()).damages).toEqual([])
    await writeFile(join(folder, 'tokens.json.damaged'), '{')
    expect((await open()).damages).toEqual([expect.stringContaining('tokens.json is missing')])
  })

  test('what cannot be written does not hold', async () => {
    const { tokens } = await open()
    const { token, made } = await tokens.create({ name: 'stays', grants: [{ role: 'reader' }] }, 'token')
    await rm(directory, { recursive: true })
    await expect(tokens.revoke(made.id)).rejects.toMatchObject({ code: 'data_directory_unavailable' })
    await expect(tokens.create({ name: 'never', grants: [{ role: 'reader' }] }, 'token')).rejects.toMatchObject({
      code: 'data_directory_unavailable',
    })
    expect(tokens.list().map(({ name }) => name)).toEqual(['stays'])
    expect(tokens.accept(token)).toBeDefined()
    await tokens.close()
    expect(warnings).toMatchObject([{ code: 'data_directory_unavailable' }])
  })
})
