// The committed document is what the routes say; a new route forces a look at its credentials and its latency.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { makeDocument, nameOf, type Operation, operationsOf } from './document.js'

describe('openapi.json', () => {
  test('is up to date (npm run gen)', async () => {
    const committed: unknown = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'))
    expect(JSON.parse(JSON.stringify(await makeDocument()))).toEqual(committed)
  })

  test('every operation has an id of its own and a tag', async () => {
    const { openapi, paths } = await makeDocument()
    const operations = Object.values(paths).flatMap((path) => Object.values(path))
    expect(openapi).toBe('3.1.0')
    expect(operations).toHaveLength(205)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    for (const { operationId, tags } of operations) {
      expect(tags, operationId).toHaveLength(1)
    }
  })

  test('all but the login and the probes name their role, in words and for programs', async () => {
    const operations = operationsOf(await makeDocument())
    const without = operations.filter(({ 'x-required-role': role }) => role === undefined)
    expect(without.map(({ operationId }) => operationId)).toEqual([
      'getLiveness',
      'getReadiness',
      'createLogin',
      'getSignInWays',
    ])
    for (const { operationId, description, 'x-required-role': role } of operations)
      expect(/Needs the role `(\w+)` for [^`]+\.$/.exec(description ?? '')?.[1], operationId).toBe(role)
  })

  test('a body that may be left out is said to be so, and no other', async () => {
    const bodies = operationsOf(await makeDocument()).filter(({ requestBody }) => requestBody !== undefined)
    const optional = bodies.filter(({ requestBody }) => requestBody?.required !== true)
    expect(optional.map(({ operationId }) => operationId).toSorted()).toEqual([
      'adoptOrphan',
      'createLogin',
      'reopenNamespace',
      'restoreConfigRevision',
      'restoreDropped',
      'restoreServerRevision',
      'resumeBackup',
      'resumeMigration',
      'startBackup',
      'verifyBackup',
    ])
  })

  test('the compatible API answers in JSON and in MessagePack, errors too', async () => {
    const { paths } = await makeDocument()
    for (const [path, operations] of Object.entries(paths)) {
      const types = /^\/v[12]\//.test(path) ? ['application/json', 'application/msgpack'] : ['application/problem+json']
      for (const { responses } of Object.values(operations))
        expect(Object.keys(responses['default']?.content ?? {}), path).toEqual(types)
    }
  })
})

describe('what operations have in common', () => {
  const statusesOf = ({ responses }: Operation): string[] => Object.keys(responses)

  test('every operation with credentials says how it may be refused', async () => {
    const all = operationsOf(await makeDocument())
    const open = all.filter(({ security }) => security?.length === 0).map(({ operationId }) => operationId)
    expect(open).toEqual(['getLiveness', 'getReadiness', 'createLogin', 'getSignInWays'])
    for (const operation of all.filter(({ operationId = '' }) => !open.includes(operationId)))
      expect(statusesOf(operation), operation.operationId).toEqual(
        expect.arrayContaining(['401', '403', '429', '503', 'default']),
      )
    const login = all.filter(({ operationId }) => operationId === 'createLogin').map(statusesOf)
    expect(login).toEqual([expect.arrayContaining(['401', '403', '429'])])
  })

  test('every success names its headers, and each reference leads somewhere', async () => {
    const document = await makeDocument()
    const { headers, responses, securitySchemes } = document.components
    const answers = operationsOf(document).flatMap(({ operationId, responses: own }) =>
      Object.entries(own).map(([status, answer]) => ({ name: `${operationId} ${status}`, status, answer })),
    )
    const bare = answers.filter(
      ({ status, answer }) => status.startsWith('2') && answer.headers?.['X-Request-Id'] === undefined,
    )
    expect(bare.map(({ name }) => name)).toEqual([])
    const named = [...answers.map(({ answer }) => answer), ...Object.values(responses)]
    const lost = [
      ...answers.filter(({ answer: { $ref } }) => $ref !== undefined && !(nameOf($ref) in responses)),
      ...named.flatMap((one) => Object.values(one.headers ?? {})).filter(({ $ref }) => !(nameOf($ref) in headers)),
      ...operationsOf(document)
        .flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one)))
        .filter((name) => !(name in securitySchemes)),
    ]
    expect(lost).toEqual([])
  })

  test('tags, pages, jobs and keys are told by their headers', async () => {
    const all = operationsOf(await makeDocument())
    const headersOf = (id: string, status: string): string[] =>
      all
        .filter(({ operationId }) => operationId === id)
        .flatMap(({ responses }) => Object.keys(responses[status]?.headers ?? {}))
    expect(headersOf('getNamespace', '200')).toContain('ETag')
    expect(headersOf('getNamespace', '304')).toContain('ETag')
    expect(headersOf('listSegments', '200')).toContain('Link')
    expect(headersOf('startJob', '202')).toEqual(expect.arrayContaining(['Location', 'Idempotency-Replayed']))
    expect(headersOf('scan', '200')).toContain('X-Job-Id')
    expect(headersOf('listNamespaces', '200')).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']))
    expect(headersOf('getStatus', '200')).not.toContain('ETag')
  })

  test('all ways to sign in, and the address of the server, are named', async () => {
    const { servers, components, security, paths } = await makeDocument()
    expect(servers.map(({ url }) => url)).toEqual(['/', '{scheme}://{host}:{port}'])
    const types = Object.values(components.securitySchemes).map(({ type }) => type)
    expect(types).toEqual(['http', 'http', 'apiKey', 'mutualTLS'])
    expect(security).toEqual([{ token: [] }, { session: [] }])
    expect(paths['/v1/cluster']?.['get']?.security).toEqual([{ token: [] }, { basic: [] }, { session: [] }])
  })

  test('every body shows an example beside its schema', async () => {
    const lacking = operationsOf(await makeDocument()).flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.entries(part?.content ?? {})
          .filter(([, media]) => media.example === undefined && media.examples === undefined)
          .map(([type]) => `${operationId} ${type}`),
      ),
    )
    expect(lacking).toEqual([])
  })
})
