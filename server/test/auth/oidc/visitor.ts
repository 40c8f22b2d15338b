// A browser at a gateway, with its cookies, and the settings for a provider.
import type { OidcSettings } from '../../../src/auth/oidc/settings.js'
import type { Answer, Gateway } from '../../gateway.js'
import { CLIENT_ID, CLIENT_SECRET, type TestProvider } from './test-provider.js'

const HERE = 'http://localhost'

export function oidcConfig(
  { issuer }: TestProvider,
  grantMap: object,
  { secret = true, lifeMs = 12 * 3_600_000 }: { secret?: boolean; lifeMs?: number } = {},
): OidcSettings {
  return {
    issuer: new URL(issuer),
    clientId: CLIENT_ID,
    clientSecret: secret ? CLIENT_SECRET : undefined,
    scopes: 'openid profile groups',
    userClaim: 'preferred_username',
    grantMap: grantMap as OidcSettings['grantMap'],
    lifeMs,
  }
}

interface Browser {
  visit: (path: string, method?: string, body?: object) => Promise<Answer>
  /** Begins the sign-in. Returns where the browser is sent. */
  begin: (next?: string) => Promise<string>
  /** All of it. Returns what the server answers when the provider leads back. */
  signIn: (provider: TestProvider, person: string, next?: string) => Promise<Answer>
  /** As `signIn`, but the provider asks also a person whom it knows, and says when. */
  signInAgain: (provider: TestProvider, person: string, next?: string) => Promise<Answer>
  /** What it sends. */
  cookie: () => string
}

export function browser(gateway: Gateway): Browser {
  const jar = new Map<string, string>()
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const visit = async (path: string, method = 'GET', body?: object): Promise<Answer> => {
    const answer = await gateway.send(`${method} ${path}`, {
      anonymous: true,
      headers: { cookie: cookie(), accept: 'text/html, application/json' },
      ...(body !== undefined && { body }),
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split('; ')
      const name = pair.slice(0, pair.indexOf('='))
      if (attributes.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, pair.slice(name.length + 1))
    }
    return answer
  }
  const begin = async (next = '/'): Promise<string> =>
    (await visit(`/login/oidc?next=${encodeURIComponent(next)}`)).headers['location'] ?? ''
  const signIn = async (provider: TestProvider, person: string, next = '/'): Promise<Answer> =>
    visit((await provider.passThrough(await begin(next), person)).replace(HERE, ''))
  const signInAgain = async (provider: TestProvider, person: string, next = '/'): Promise<Answer> => {
    const { headers } = await visit(`/login/oidc?again=true&next=${encodeURIComponent(next)}`)
    return visit((await provider.passThrough(headers['location'] ?? '', person)).replace(HERE, ''))
  }
  return { visit, begin, signIn, signInAgain, cookie }
}
