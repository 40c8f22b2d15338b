// Sign-in by a real provider, from the click to the session and its end.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, useGateway } from '../../gateway.js'
import { CALLBACK, TestProvider } from './test-provider.js'
import { browser, oidcConfig } from './visitor.js'

const provider = await TestProvider.open()
const publicProvider = await TestProvider.open({ secret: false })
afterAll(async () => {
  await provider.close()
  await publicProvider.close()
})
const grants = {
  claim: 'groups',
  grants: { admins: [{ role: 'admin' }], shop: [{ role: 'writer', namespace: 'shop' }], all: [{ role: 'reader' }] },
}

async function entries({ directory }: Gateway): Promise<Record<string, unknown>[]> {
  const folder = join(directory, 'audit')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log')).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a person whom the provider knows', () => {
  const gateway = useGateway({}, undefined, undefined, () => oidcConfig(provider, grants))
  beforeAll(() => {
    provider.groups.set('ada', ['shop', 'all', 'unknown'])
    provider.groups.set('grace', ['all'])
    provider.groups.set('eve', ['unknown'])
    provider.groups.set('root', ['admins'])
  })

  test('the sign-in page learns of the provider without credentials', async () => {
    const ways = await gateway().ok('GET /api/v1/auth/ways', { anonymous: true })
    expect(ways).toEqual({ password: true, provider: new URL(provider.issuer).host })
  })

  test('signs in with name and grants, lands on the page asked for, and signs out', async () => {
    const { visit, cookie } = browser(gateway())
    const begun = await visit('/login/oidc?next=/records%3Fns%3Dshop')
    expect(begun.status).toBe(303)
    const sent = new URL(begun.headers['location'] ?? '')
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'tessera',
      redirect_uri: CALLBACK,
      scope: 'openid profile groups',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(String(begun.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax; Max-Age=(599|600)/)
    const back = await provider.passThrough(sent.href, 'ada')
    expect(back).toContain(CALLBACK)
    const landed = await visit(back.replace('http://localhost', ''))
    expect(landed.text).toContain('content="0;url=/records?ns=shop"')
    const me = await visit('/api/v1/auth/me')
    expect(me.json()).toMatchObject({
      user: 'ada',
      grants: [{ role: 'writer', namespace: 'shop' }, { role: 'reader' }],
      method: 'session',
    })
    expect(me.json()).not.toHaveProperty('hasPassword')
    expect((await visit('/api/v1/sessions')).json()).toMatchObject({
      items: [{ user: 'ada', signedInWith: 'provider', current: true }],
    })
    expect((await visit('/api/v1/users')).status).toBe(403)
    expect((await entries(gateway())).at(-2)).toMatchObject({
      operation: 'endProviderSignIn',
      who: 'oidc:ada',
      outcome: 'ok',
      role: 'reader',
    })
    const held = cookie()
    expect((await visit('/api/v1/auth/logout', 'POST')).status).toBe(200)
    expect((await gateway().send('GET /api/v1/auth/me', { anonymous: true, headers: { cookie: held } })).status).toBe(
      401,
    )
  })

  test('signs in again at the provider to end another session', async () => {
    const [one, other] = [browser(gateway()), browser(gateway())]
    await one.signIn(provider, 'grace')
    await other.signIn(provider, 'grace')
    const { items } = (await one.visit('/api/v1/sessions')).json<{ items: { id: string; current: boolean }[] }>()
    const id = items.find(({ current }) => !current)?.id
    // This provider does not say when it asked, so it may have been long ago.
    expect((await one.visit(`/api/v1/sessions/${id}`, 'DELETE')).json()).toMatchObject({ code: 'sign_in_again' })
    const sent = (await one.visit('/login/oidc?again=true')).headers['location'] ?? ''
    expect(Object.fromEntries(new URL(sent).searchParams)).toMatchObject({ prompt: 'login', max_age: '300' })
    const landed = await one.signInAgain(provider, 'grace', '/access')
    expect(landed.text).toContain('content="0;url=/access"')
    expect((await one.visit(`/api/v1/sessions/${id}`, 'DELETE')).status).toBe(200)
    expect((await other.visit('/api/v1/auth/me')).status).toBe(401)
  })

  test('is nobody of the same name here', async () => {
    await gateway().ok('POST /api/v1/users', {
      body: { name: 'ada', grants: [{ role: 'admin' }], password: 'correct horse battery' },
    })
    const local = browser(gateway())
    await local.visit('/api/v1/auth/login', 'POST', { user: 'ada', password: 'correct horse battery' })
    const { visit, signIn } = browser(gateway())
    await signIn(provider, 'ada')
    expect((await visit('/api/v1/sessions')).json<{ items: object[] }>().items).toHaveLength(1)
    const answer = await visit('/api/v1/auth/password', 'POST', { password: 'x', newPassword: 'correct horse' })
    expect(answer.json()).toMatchObject({ code: 'user_required' })
    await gateway().ok('DELETE /api/v1/users/ada')
    expect((await visit('/api/v1/auth/me')).status).toBe(200)
    expect((await local.visit('/api/v1/auth/me')).status).toBe(401)
  })

  test('without a group that grants anything, is told so', async () => {
    const { visit, signIn } = browser(gateway())
    const refused = await signIn(provider, 'eve')
    expect([refused.status, refused.headers['location']]).toEqual([303, '/login?failed=oidc_no_grants'])
    expect((await visit('/api/v1/auth/me')).status).toBe(401)
    expect((await entries(gateway())).at(-1)).toMatchObject({
      operation: 'endProviderSignIn',
      outcome: 'refused',
      code: 'oidc_no_grants',
    })
  })

  test('an administrator sees and ends the session; what a group grants later waits for the next sign-in', async () => {
    const [ada, root] = [browser(gateway()), browser(gateway())]
    await ada.signIn(provider, 'ada')
    await root.signInAgain(provider, 'root')
    provider.groups.set('ada', ['admins'])
    expect((await ada.visit('/api/v1/users')).status).toBe(403)
    const { items } = (await root.visit('/api/v1/sessions')).json<{ items: { id: string; user: string }[] }>()
    const first = items.find(({ user }) => user === 'ada')
    await root.visit(`/api/v1/sessions/${first?.id ?? ''}`, 'DELETE')
    expect((await ada.visit('/api/v1/auth/me')).status).toBe(401)
    await ada.signIn(provider, 'ada')
    expect((await ada.visit('/api/v1/users')).status).toBe(200)
    provider.groups.set('ada', ['shop', 'all'])
  })

  test.each([
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/%0d%0aevil', '/%0d%0aevil'],
    ['javascript:alert(1)', '/'],
    ['/"><script>alert(1)</script>', '/%22%3E%3Cscript%3Ealert(1)%3C/script%3E'],
    ['/login/oidc', '/'],
    ['/./..//evil.example', '/'],
    ['/docs', '/docs'],
  ])('asked for %s, lands on %s', async (next, lands) => {
    const { signIn } = browser(gateway())
    const landed = await signIn(provider, 'ada', next)
    expect(landed.text).toContain(`content="0;url=${lands}"`)
  })

  test('a page of another site begins nothing', async () => {
    const answer = await gateway().send('GET /login/oidc?next=/records', {
      anonymous: true,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect([answer.status, answer.headers['location'], answer.headers['set-cookie']]).toEqual([
      303,
      '/login?next=%2Frecords',
      undefined,
    ])
  })
})

describe('settings of the provider', () => {
  const gateway = useGateway({}, undefined, undefined, () =>
    oidcConfig(publicProvider, grants, { secret: false, lifeMs: 60_000 }),
  )

  test('a public client works without a secret, and its sessions may be shorter than others', async () => {
    publicProvider.groups.set('ada', ['all'])
    const { visit, signIn } = browser(gateway())
    await signIn(publicProvider, 'ada')
    const { expiresAt } = (await visit('/api/v1/auth/me')).json<{ expiresAt: string }>()
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
  })
})

describe('without a provider', () => {
  const gateway = useGateway()

  test('there is nothing of it', async () => {
    expect(await gateway().ok('GET /api/v1/auth/ways', { anonymous: true })).toEqual({ password: true })
    for (const path of ['/login/oidc', '/login/oidc/callback?code=a&state=b'])
      expect((await gateway().send(`GET ${path}`, { anonymous: true })).status).toBe(404)
  })
})
