// What every operation of the document refuses, without a table of them.
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, useGateway } from './gateway.js'

interface Operation {
  method: string
  /** Its parameters are `x`. */
  path: string
}

const open = new Set(['/healthz', '/readyz', '/api/v1/auth/login'])

describe('every operation of the document', () => {
  const gateway = useGateway()
  let operations: Operation[]

  beforeAll(async () => {
    const text = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> }
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, 'x'),
      })),
    )
  })

  test('refuses a caller without, and with wrong, credentials', async () => {
    for (const { method, path } of operations.filter((operation) => !open.has(operation.path))) {
      for (const headers of [
        {},
        { authorization: `${bearer.authorization}x` },
        { authorization: 'Basic !' },
        { cookie: 'tessera_session=x' },
      ]) {
        const answer = await gateway().send(`${method} ${path}`, { anonymous: true, headers })
        expect(answer.status, `${method} ${path}`).toBe(401)
      }
    }
  })

  test('refuses methods that are not there, and says which are', async () => {
    const allowed = new Map<string, string[]>()
    for (const { method, path } of operations) allowed.set(path, [...(allowed.get(path) ?? []), method])
    for (const [path, methods] of allowed) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (one) => !methods.includes(one),
      )) {
        const answer = await gateway().send(`${method} ${path}`)
        expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(405)
        for (const one of methods) expect(answer.headers['allow']).toContain(one)
      }
    }
  })
})
