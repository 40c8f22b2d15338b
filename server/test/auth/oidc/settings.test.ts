// The settings of a provider, and the file that says what the values of a claim grant.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantsFor, nameIn, readGrantMap } from '../../../src/auth/oidc/claims.js'
import { readOidc } from '../../../src/auth/oidc/settings.js'
import { readConfig } from '../../../src/config.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-oidc-'))
})
afterAll(() => rm(folder, { recursive: true }))

const map = { claim: 'groups', grants: { team: [{ role: 'reader' }] } }
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}
const all = async (more: Record<string, string> = {}) =>
  readOidc(
    readConfig([], {
      TESSERA_OIDC_ISSUER: 'https://id.example.com/realms/main',
      TESSERA_OIDC_CLIENT_ID: 'tessera',
      TESSERA_OIDC_GRANTS: await file('grants.json', JSON.stringify(map)),
      ...more,
    }),
  )

describe('settings', () => {
  test('are unset by default, and have good values for the rest', async () => {
    expect(await readOidc(readConfig([], {}))).toBeUndefined()
    expect(await all()).toEqual({
      issuer: new URL('https://id.example.com/realms/main'),
      clientId: 'tessera',
      clientSecret: undefined,
      scopes: 'openid profile',
      userClaim: 'preferred_username',
      grantMap: map,
      lifeMs: 12 * 3_600_000,
    })
  })

  test('a secret is one line of a file, and a life is at most that of all sessions', async () => {
    const path = await file('secret', 'correct-horse\n')
    const more = { TESSERA_OIDC_CLIENT_SECRET_FILE: path, TESSERA_OIDC_SESSION_LIFE: '24h' }
    expect(await all(more)).toMatchObject({ clientSecret: 'correct-horse', lifeMs: 12 * 3_600_000 })
    expect(await all({ TESSERA_OIDC_SESSION_LIFE: '1h' })).toMatchObject({ lifeMs: 3_600_000 })
  })

  test.each<[Record<string, string>, string]>([
    [{ TESSERA_OIDC_ISSUER: 'http://id.example.com' }, 'TESSERA_OIDC_ISSUER must be an https address'],
    [{ TESSERA_OIDC_ISSUER: 'http://127.0.0.1.example.com' }, 'TESSERA_OIDC_ISSUER must be an https address'],
    [{ TESSERA_OIDC_ISSUER: 'id.example.com' }, 'TESSERA_OIDC_ISSUER must be an https address'],
    [{ TESSERA_OIDC_ISSUER: 'https://id.example.com/?a=b' }, 'TESSERA_OIDC_ISSUER must be an https address'],
    [{ TESSERA_OIDC_ISSUER: '' }, 'need each other'],
    [{ TESSERA_OIDC_ISSUER: 'https://ada:secret@id.example.com' }, 'must not have a user or a password'],
    [{ TESSERA_OIDC_CLIENT_ID: '' }, 'need each other'],
    [{ TESSERA_OIDC_GRANTS: '' }, 'need each other'],
    [{ TESSERA_OIDC_GRANTS: 'grants.json' }, 'TESSERA_OIDC_GRANTS must be an absolute path'],
    [{ TESSERA_OIDC_GRANTS: '/none/grants.json' }, 'TESSERA_OIDC_GRANTS: there is no file /none/grants.json'],
    [{ TESSERA_OIDC_GRANTS: '/dev/null' }, 'TESSERA_OIDC_GRANTS: /dev/null: it is no file'],
    [{ TESSERA_OIDC_CLIENT_SECRET_FILE: '/none/secret' }, 'there is no file /none/secret'],
    [{ TESSERA_OIDC_SCOPES: 'profile' }, 'TESSERA_OIDC_SCOPES must contain openid, got "profile"'],
    [{ TESSERA_OIDC_USER_CLAIM: '' }, 'TESSERA_OIDC_USER_CLAIM must have 1 to 1024 visible ASCII characters'],
    [{ TESSERA_OIDC_SESSION_LIFE: '1d' }, 'TESSERA_OIDC_SESSION_LIFE must be a duration'],
  ])('%j: %s', async (more, message) => {
    await expect(all(more)).rejects.toThrow(message)
  })

  test('a secret of two lines, or of none, is refused and not told', async () => {
    for (const text of ['one\ntwo', '', ' \n']) {
      const path = await file('bad', text)
      await expect(all({ TESSERA_OIDC_CLIENT_SECRET_FILE: path })).rejects.toThrow(
        `${path} must have one line, the secret`,
      )
    }
  })
})

describe('the file of grants', () => {
  test.each<[string, string]>([
    ['{', 'it is no JSON'],
    ['[]', 'must be object'],
    ['{"claim":"groups"}', 'grants'],
    ['{"claim":"groups","grants":{}}', '/grants has no value of the claim'],
    ['{"claim":"groups","grants":{"a":[]}}', '/grants/a'],
    ['{"claim":"groups","grants":{"a":[{"role":"king"}]}}', '/grants/a/0/role'],
    ['{"claim":"groups","grants":{"a":[{"role":"reader","extra":1}]}}', '/grants/a/0'],
    ['{"claim":"groups","grants":{"a":[{"role":"admin","namespace":"shop"}]}}', 'admin is for the whole server'],
    ['{"claim":"groups","grants":{"a":[{"role":"reader","setPrefix":"eu-"}]}}', 'setPrefix needs a namespace'],
    ['{"claim":"groups","grants":{"a":[{"role":"reader"}]},"else":1}', '/else is no field'],
  ])('%s is refused: %s', (text, message) => {
    expect(() => readGrantMap(text)).toThrow(message)
  })

  test('more different grants than a caller may have are refused', () => {
    const grants = Object.fromEntries(
      Array.from({ length: 101 }, (_, n) => [`g${n}`, [{ role: 'reader', namespace: `n${n}` }]]),
    )
    expect(() => readGrantMap(JSON.stringify({ claim: 'groups', grants }))).toThrow('more than 100 different grants')
  })

  const shop = { role: 'writer' as const, namespace: 'shop' }
  const reader = { role: 'reader' as const }
  test.each([
    ['groups', { groups: ['a', 'b', 'c', 7, null] }, [shop, reader]],
    ['groups', { groups: 'a' }, [shop]],
    ['groups', { groups: ['A', '__proto__', 'constructor'] }, []],
    ['groups', {}, []],
    ['realm_access.roles', { realm_access: { roles: ['b'] } }, [reader, shop]],
    ['https://example.com/groups', { 'https://example.com/groups': ['b'] }, [reader, shop]],
    ['__proto__.groups', { groups: ['a'] }, []],
  ])('%s of %j', (claim, claims, expected) => {
    const grants = { a: [shop], b: [reader, shop] }
    const found = grantsFor({ claim, grants }, claims)
    expect(found).toHaveLength(expected.length)
    expect(found).toEqual(expect.arrayContaining(expected))
  })

  test.each<[unknown, string | undefined]>([
    ['ada', 'ada'],
    [' Ada Lovelace ', 'Ada Lovelace'],
    ['', undefined],
    ['a\nb', undefined],
    ['a\u202eb', undefined],
    ['x'.repeat(129), undefined],
    [7, undefined],
    [undefined, undefined],
  ])('the name %j is %j', (claim, name) => {
    expect(nameIn({ name: claim }, 'name')).toBe(name)
  })
})
