// An OpenID Connect provider at 127.0.0.1, with a person's way through it. It can be made to answer what it should not.
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CLIENT_ID = 'tessera'
export const CLIENT_SECRET = 'a-secret-of-the-client-0123456789'
/** Where a browser comes back to from a sign-out. */
export const SIGNED_OUT = 'http://localhost/login'
export const CALLBACK = 'http://localhost/login/oidc/callback'

interface Key {
  jwk: JWK
  sign: CryptoKey
}

async function newKey(kid: string): Promise<Key> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }, sign: privateKey }
}

export class TestProvider {
  readonly issuer: string
  readonly #server: Server
  #provider: Provider | undefined
  /** Groups of each person. */
  readonly groups = new Map<string, string[]>()
  /** Changes an ID token before it is sent. */
  tamper: ((token: string) => Promise<string>) | undefined
  /** Answers in place of the provider, by path. */
  readonly instead = new Map<string, { status: number; body: string }>()
  /** Paths that were asked for. */
  readonly asked: string[] = []
  key: Key

  private constructor(server: Server, key: Key) {
    this.#server = server
    this.key = key
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open({ secret = true }: { secret?: boolean } = {}): Promise<TestProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const made = new TestProvider(server, await newKey('first'))
    made.#begin(secret)
    server.on('request', (request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      made.asked.push(path)
      const other = made.instead.get(path)
      if (other === undefined) return void made.#provider?.callback()(request, response)
      response.writeHead(other.status, { 'content-type': 'application/json' }).end(other.body)
    })
    return made
  }

  /** From now on, tokens are signed by another key. */
  async rotate(kid: string): Promise<void> {
    this.key = await newKey(kid)
    this.#begin(true)
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  #begin(secret: boolean): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          redirect_uris: [CALLBACK],
          post_logout_redirect_uris: [SIGNED_OUT],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          ...(secret
            ? { client_secret: CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_basic' }
            : { token_endpoint_auth_method: 'none' }),
        },
      ],
      jwks: { keys: [this.key.jwk] },
      cookies: { keys: ['a key of cookies'] },
      scopes: ['openid', 'profile', 'groups'],
      claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
      findAccount: (_ctx: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: id, groups: this.groups.get(id) ?? [] }),
      }),
    })
    provider.use(async (ctx, next) => {
      await next()
      const body = ctx.body as { id_token?: string } | undefined
      if (ctx.path === '/token' && typeof body?.id_token === 'string' && this.tamper !== undefined)
        body.id_token = await this.tamper(body.id_token)
    })
    this.#provider = provider
  }

  /** Signs a person in, from where the server has sent the browser. Returns where the provider sends it back to. */
  async passThrough(url: string, person: string): Promise<string> {
    const jar = new Map<string, string>()
    let [at, form]: [string, URLSearchParams | undefined] = [url, undefined]
    for (let step = 0; step < 20; step += 1) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(at, {
        redirect: 'manual',
        headers: { cookie },
        ...(form !== undefined && { method: 'POST', body: form }),
      })
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
      }
      const location = answer.headers.get('location')
      const page = await answer.text()
      form = undefined
      if (location !== null) {
        at = new URL(location, at).href
        if (!at.startsWith(this.issuer)) return at
        continue
      }
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (prompt === undefined) throw new Error(`the provider answers ${answer.status}: ${page.slice(0, 300)}`)
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: person, password: 'any' }) })
    }
    throw new Error('the provider leads nowhere')
  }
}
