// What every operation of the document refuses, without a table of them.
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, useGateway } from '../gateway.js'

interface Operation {
  method: string
  /** Its parameters are `x`, numbers are `1`. */
  path: string
  /** The parameters of its query that it cannot do without. */
  needs: string[]
  /** The parameters of its query that are numbers. */
  numbers: { name: string; integer: boolean }[]
  /** A body that it takes, and its media type. */
  body?: string | object
  type?: string
}

interface Description {
  parameters?: { name: string; in: string; required?: boolean; schema: { type?: string } }[]
  requestBody?: { content: Record<string, { example?: object }> }
}

interface Document {
  paths: Record<string, Record<string, Description>>
}

const open = new Set(['/api/v1/auth/ways', '/healthz', '/readyz', '/api/v1/auth/login'])

describe('every operation of the document', () => {
  const gateway = useGateway()
  let operations: Operation[]

  beforeAll(async () => {
    const text = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')
    const { paths } = JSON.parse(text) as Document
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => {
        const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
        const body = content?.example ?? (type === 'application/json' ? undefined : '1')
        return {
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(begin|count|revision)\}/g, '1').replaceAll(/\{\w+\}/g, 'x'),
          numbers: parameters.flatMap(({ name, in: place, schema: { type = '' } }) =>
            place === 'query' && /^(integer|number)$/.test(type) ? [{ name, integer: type === 'integer' }] : [],
          ),
          needs: parameters.filter((one) => one.in === 'query' && one.required === true).map(({ name }) => `${name}=0`),
          ...(type !== undefined && body !== undefined && { body, type }),
        }
      }),
    )
  })

  test('refuses a caller without, and with wrong, credentials', async () => {
    for (const { method, path } of operations.filter((operation) => !open.has(operation.path))) {
      for (const headers of [
        {},
        { authorization: `${bearer.authorization}x` },
        { authorization: 'Basic !' },
        { cookie: `tessera_session_${gateway().app.access.id}=x` },
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
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
        const answer = await gateway().send(`${method} ${path}`)
        expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(405)
        for (const one of methods) expect(answer.headers['allow']).toContain(one)
      }
    }
  })

  test('of /api/v1 refuses a parameter that it does not know, by name, and does nothing', async () => {
    const { app, ok, send } = gateway()
    await gateway().memoryNamespace('x')
    await gateway().put('x/sets/x/records/x', { a: 1 })
    await ok('POST /api/v1/namespaces/x/indexes?wait=10s', { body: { name: 'x', bin: 'a', kind: 'range' } })
    const ours = operations.filter(({ path }) => path.startsWith('/api/v1/'))
    expect(ours.length).toBeGreaterThan(40)
    for (const { method, path, needs, body, type } of ours) {
      const answer = await send(`${method} ${path}?${['colour=red', ...needs].join('&')}`, {
        ...(body !== undefined && { body }),
        ...(type !== undefined && { headers: { 'content-type': type } }),
      })
      const { code, field } = answer.json()
      expect([answer.status, code, field], `${method} ${path}: ${answer.text}`).toEqual([
        400,
        'field_unknown',
        'colour',
      ])
    }
    expect((await send('HEAD /api/v1/status?colour=red')).status).toBe(400)
    expect((await send('HEAD /api/v1/status')).status).toBe(200)
    expect(await ok('GET /api/v1/namespaces/x')).toMatchObject({ records: 1, sets: 1, indexes: 1 })
    expect((await app.engine.jobs()).items.map(({ kind }) => kind)).toEqual(['index-build'])
  })

  test('refuses a number that is not written as one', async () => {
    const noNumbers = [
      '',
      '0x10',
      '0b1',
      '%205',
      '5%20',
      '%2B5',
      '05',
      '-0',
      '-05',
      '5.',
      '.5',
      '1_0',
      '5n',
      'Infinity',
      'NaN',
    ]
    const noIntegers = [...noNumbers, '1e3', '5.0', '1e999']
    const asked = operations.flatMap((one) => one.numbers.map((number) => ({ ...one, ...number })))
    expect(asked.length).toBeGreaterThan(60)
    for (const { method, path, needs, body, type, name, integer } of asked) {
      for (const text of integer ? noIntegers : [...noNumbers, '1e3', '1e999']) {
        const line = `${method} ${path}?${[...needs.filter((need) => need !== `${name}=0`), `${name}=${text}`].join('&')}`
        const answer = await gateway().send(line, {
          ...(body !== undefined && { body }),
          ...(type !== undefined && { headers: { 'content-type': type } }),
        })
        const { code = '', field = '', message = '' } = answer.json<Record<string, string>>()
        const said = path.startsWith('/api/')
          ? `${code} ${field}`
          : message.split(' value: ')[0]?.replace('long', 'integer')
        const wanted = path.startsWith('/api/') ? `field_invalid ${name}` : 'Invalid integer'
        expect([line, answer.status, said], answer.text).toEqual([line, 400, wanted])
      }
    }
  })

  test('refuses an integer that JavaScript does not have exactly', async () => {
    const answer = await gateway().send('GET /api/v1/sample-events?rows=1&seed=9007199254740993')
    expect(answer.json()).toMatchObject({ code: 'field_invalid', field: 'seed', status: 400 })
  })

  test.each(['0', '-1', '0.5', '250', '1.25'])('of a threshold takes %s as a number', async (text) => {
    const answer = await gateway().send(`GET /api/v1/slow?minMs=${text}`)
    expect(answer.text).not.toContain('must be a number')
  })

  test('of /v1 ignores one, as the other gateway does', async () => {
    expect((await gateway().send('GET /v1/cluster?colour=red')).status).toBe(200)
  })
})
