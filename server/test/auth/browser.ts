// A browser that signs users in.
import type { Answer, Gateway } from '../gateway.js'

const PASSWORD = 'correct horse battery staple'

/** A browser: it keeps its cookies. */
export class Browser {
  readonly #gateway: Gateway
  readonly #own: Record<string, string>
  readonly cookies = new Map<string, string>()

  /** `address`: where a proxy says that it is. */
  constructor(gateway: Gateway, address?: string) {
    this.#gateway = gateway
    this.#own = address === undefined ? {} : { 'x-forwarded-for': address }
  }

  async send(line: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.#gateway.send(line, {
      anonymous: true,
      headers: { ...this.#own, ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    const set = (answer.headers['set-cookie'] ?? []) as string | string[]
    for (const one of [set].flat()) {
      const [name = '', value = ''] = one.split(';')[0]?.split('=') ?? []
      this.cookies.set(name, value)
    }
    return answer
  }

  signIn = (user: string, password = PASSWORD, code?: string): Promise<Answer> =>
    this.send('POST /api/v1/auth/login', { user, password, ...(code !== undefined && { code }) })
}
