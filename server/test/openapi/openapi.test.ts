// The committed document is what the routes say; a new route forces a look at its credentials and its latency.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { makeDocument, operationsOf } from './document.js'

describe('openapi.json', () => {
  test('is up to date (npm run gen)', async () => {
    const committed: unknown = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'))
    expect(JSON.parse(JSON.stringify(await makeDocument()))).toEqual(committed)
  })

  test('every operation has an id of its own and a tag', async () => {
    const { openapi, paths } = await makeDocument()
    const operations = Object.values(paths).flatMap((path) => Object.values(path))
    expect(openapi).toBe('3.1.0')
    expect(operations).toHaveLength(175)
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

  test('the compatible API answers in JSON and in MessagePack, errors too', async () => {
    const { paths } = await makeDocument()
    for (const [path, operations] of Object.entries(paths)) {
      const types = /^\/v[12]\//.test(path) ? ['application/json', 'application/msgpack'] : ['application/problem+json']
      for (const { responses } of Object.values(operations))
        expect(Object.keys(responses['default']?.content ?? {}), path).toEqual(types)
    }
  })
})
