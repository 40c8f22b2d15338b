// Every route with every role: `docs/access.md` says who may call what, and the gateway does it.
import { beforeAll, describe, expect, test } from 'vitest'
import { allows, type Role, ROLES } from '../../src/auth/roles.js'
import { useGateway } from '../gateway.js'
import { type Documented, documented, everyRoute } from './every-route.js'

interface Line {
  line: string
  operation: string
  public: boolean
}

/** The stream of live figures would not end. */
const acceptOf = (line: string): object => (line.endsWith('/live') ? { accept: 'image/png' } : {})

const lines = async (): Promise<Line[]> =>
  (await everyRoute()).map(({ method, url, ...route }) => ({
    ...route,
    line: `${method} ${url.replaceAll(/:[a-zA-Z]+/g, '1')}`,
  }))

describe('roles', () => {
  const gateway = useGateway()
  const tokens = new Map<Role, string>()
  let all: Line[]
  let needs: Map<string, Documented>

  beforeAll(async () => {
    ;[all, needs] = await Promise.all([lines(), documented()])
    for (const role of ROLES) {
      const { token } = await gateway().ok<{ token: string }>('POST /api/v1/tokens', {
        body: { name: role, grants: [{ role }] },
      })
      tokens.set(role, token)
    }
  })

  test('the page names each operation once, and no other', () => {
    const operations = new Set(all.filter((route) => !route.public).map(({ operation }) => operation))
    expect([...needs.keys()].toSorted()).toEqual([...operations].toSorted())
  })

  test.each(ROLES)('%s may call what the page says, and nothing else', async (role) => {
    const wrong: string[] = []
    for (const { line, operation, public: open } of all) {
      const headers = { authorization: `Bearer ${tokens.get(role) ?? ''}`, ...acceptOf(line) }
      const { status, json } = await gateway().send(line, { headers })
      const refused = status === 403 && (line.startsWith('HEAD') || json()['code'] === 'role_required')
      const allowed = open || allows(role, needs.get(operation)?.role ?? 'admin')
      // Paths of the compatible API have their own form of a refusal.
      const compatible = /^\w+ \/v[12]\//.test(line)
      if (allowed ? status === 401 || status === 403 : compatible ? status !== 403 : !refused)
        wrong.push(`${line}: ${status}`)
    }
    // API tokens are for programs, and have no second factor.
    expect(wrong).toEqual([
      'POST /api/v1/auth/login: 403',
      'POST /api/v1/auth/second-factor: 403',
      'DELETE /api/v1/auth/second-factor: 403',
    ])
  })

  test('nobody may call what is not public', async () => {
    const statuses = await Promise.all(
      all.map(async ({ line, public: open }) => {
        const { status } = await gateway().send(line, { anonymous: true })
        return (status === 401) === open ? `${line}: ${status}` : undefined
      }),
    )
    // Without a token in its body, a login is refused too.
    expect(statuses.filter((line) => line !== undefined)).toEqual(['POST /api/v1/auth/login: 401'])
  })
})
