// Names for people: one rule for all that have one.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Document, makeDocument, nameOf, operationsOf } from './openapi/document.js'
import { useGateway } from './gateway.js'

const threshold = { metric: 'latency.p99', op: 'get', when: 'above', value: 1, forSeconds: 60 }
const named = [
  ['saveQuery', 'POST /api/v1/queries', { namespace: 'n', request: '{}' }],
  ['replaceQuery', 'PUT /api/v1/queries/<query>', { namespace: 'n', request: '{}' }],
  ['createAlertRule', 'POST /api/v1/alerts/rules', { severity: 'warning', threshold }],
  ['replaceAlertRule', 'PUT /api/v1/alerts/rules/<rule>', { severity: 'warning', threshold }],
  ['startWorkload', 'POST /api/v1/workloads', { namespace: 'n', keys: 1 }],
] as const

describe('a name for people', () => {
  const gateway = useGateway()
  let document: Document
  let lines: Record<string, string>

  beforeAll(async () => {
    document = await makeDocument()
    const { ok } = gateway()
    await gateway().memoryNamespace('n')
    const query = await ok<{ id: string }>('POST /api/v1/queries', { body: { ...named[0][2], name: 'kept' } })
    const rule = await ok<{ id: string }>('POST /api/v1/alerts/rules', { body: { ...named[2][2], name: 'kept' } })
    lines = Object.fromEntries(
      named.map(([id, line]) => [id, line.replace('<query>', query.id).replace('<rule>', rule.id)]),
    )
  })

  test('is in the bodies of these operations', () => {
    const { schemas } = document.components
    const found = operationsOf(document).filter(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).some(({ schema }) => {
        const { properties = {} } = schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {})
        return Object.values(properties).some(({ description = '' }) => description.startsWith('Name for people'))
      }),
    )
    expect(found.map(({ operationId }) => operationId).toSorted()).toEqual(named.map(([id]) => id).toSorted())
  })

  describe.each(named)('of %s', (id, _line, body) => {
    test.each([
      ['a line break', 'two\nlines', 'U+000A'],
      ['a NUL', 'a\u0000b', 'U+0000'],
      ['a terminal code', '\u001b[31mred', 'U+001B'],
      ['a C1 control', 'a\u0085b', 'U+0085'],
      ['a line separator', 'a\u2028b', 'U+2028'],
      ['what turns the text around it', 'a\u202eb', 'U+202E'],
      ['a space of no width', 'a\u200bb', 'U+200B'],
      ['half a character', 'a\ud800', 'U+D800'],
    ])('is refused with %s', async (_what, name, shown) => {
      const answer = await gateway().send(lines[id] ?? '', { body: { ...body, name } })
      expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid', field: 'name' })
      expect(answer.json<{ detail: string }>().detail).toContain(`got ${shown}`)
    })

    test.each(['   ', '\u200d', '\u3000'])('is refused if nothing of it is visible: %j', async (name) => {
      const answer = await gateway().send(lines[id] ?? '', { body: { ...body, name } })
      expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid', field: 'name' })
    })
  })

  test.each(['Reads < 1 ms', 'Größe', '注文', 'می‌خواهم', 'team 👩‍💻', "O'Brien & <b>"])(
    'takes %s as it is',
    async (name) => {
      const query = await gateway().ok('POST /api/v1/queries', { body: { ...named[0][2], name } })
      const rule = await gateway().ok('POST /api/v1/alerts/rules', { body: { ...named[2][2], name } })
      expect([query['name'], rule['name']]).toEqual([name, name])
    },
  )
})
