// A session by name and password, for programs that have no token.
import type { Client } from './client.js'
import { createLogin } from './operations.gen.js'
import type { components } from './schema.gen.js'

/**
 * Signs in and resolves with a client that has the session. Browsers keep the session themselves, so there the client is
 * as before.
 *
 * @throws ApiProblem `auth_invalid`
 */
export async function signIn(client: Client, credentials: components['schemas']['LoginRequest']): Promise<Client> {
  const response = await client.open(createLogin, { body: credentials })
  await response.arrayBuffer()
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
  return cookies.length === 0 ? client : client.with({ cookie: cookies.join('; ') })
}
