import { describe, expect, test } from 'vitest'
import { askedOf, missingOf, withExamples } from '../src/pages/api/asked'
import { findOperations, operationsOf } from '../src/pages/api/operations'
import { partsOf, typeWords } from '../src/pages/api/schema-words'
import { javaScriptOf, pythonOf } from '../src/api/snippets'

const tree = { type: 'object', properties: { all: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } }
const document = {
  paths: {
    '/sets/{set}/records/{key}': {
      put: {
        operationId: 'putRecord',
        summary: 'Write a record',
        description: 'Creates it.',
        tags: ['records'],
        parameters: [
          {
            name: 'set',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            example: 'users',
            description: 'Set.',
          },
          { name: 'key', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'ttlSeconds', in: 'query', schema: { type: 'integer' } },
          { name: 'if-match', in: 'header', schema: { type: 'string' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Bins' } } } },
        responses: {
          204: { description: 'Done.' },
          default: { $ref: '#/components/responses/Failure' },
        },
      },
    },
    '/status': { get: { responses: {} } },
  },
  components: {
    responses: { Failure: { description: 'Refused.', content: { 'application/problem+json': { schema: tree } } } },
    schemas: {
      Tree: tree,
      Bins: {
        type: 'object',
        examples: [{ name: 'Ada' }],
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 9, description: 'Her name.' },
          mode: { enum: ['a', 'b'] },
          age: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
        },
        additionalProperties: { type: 'number' },
      },
    },
  },
}
const [put, status] = operationsOf(document)
if (put === undefined || status === undefined) throw new Error('the document has two operations')

describe('the document of the API', () => {
  test('is read into operations, through its references', () => {
    expect(put).toMatchObject({ id: 'putRecord', method: 'PUT', path: '/sets/{set}/records/{key}', tag: 'records' })
    expect(put.parameters.map(({ name, in: place, required }) => `${place} ${name} ${required}`)).toEqual([
      'path set true',
      'path key true',
      'query ttlSeconds false',
      'header if-match false',
    ])
    expect(put.bodies.map(({ type, example }) => [type, JSON.parse(example)])).toEqual([
      ['application/json', { name: 'Ada' }],
    ])
    expect(put.answers.map(({ status: code, description, type }) => [code, description, type])).toEqual([
      ['204', 'Done.', undefined],
      ['default', 'Refused.', 'application/problem+json'],
    ])
    expect(status).toMatchObject({ id: 'get /status', tag: 'other', parameters: [], bodies: [], answers: [] })
  })

  test.each([undefined, null, 7, { paths: 7 }, { paths: { '/a': { get: 7 } } }])(
    'may be %o, which has none',
    (wrong) => {
      expect(operationsOf(wrong)).toEqual([])
    },
  )

  test('is searched by all words, in any order', () => {
    const found = (search: string): string[] => findOperations([put, status], search).map(({ id }) => id)
    expect(found('')).toEqual(['putRecord', 'get /status'])
    expect(found('RECORD write')).toEqual(['putRecord'])
    expect(found('record status')).toEqual([])
  })
})

describe('a type', () => {
  test('is told in words, with its limits', () => {
    expect(partsOf(document, { $ref: '#/components/schemas/Bins' })).toMatchObject([
      { name: 'name', required: true, words: 'string, 0 to 9 characters', description: 'Her name.' },
      { name: 'mode', required: false, words: '"a" or "b"' },
      { name: 'age', words: 'integer, from 0 or null' },
      { name: 'any name', words: 'number' },
    ])
    expect(typeWords(document, { type: 'array', items: { type: 'integer', minimum: 1, maximum: 128 } })).toBe(
      'list of integer, 1 to 128',
    )
    expect(typeWords(document, { const: 3 })).toBe('3')
    expect(typeWords(document, {})).toBe('anything')
  })

  test('that has itself as a part is read one level at a time', () => {
    const [all] = partsOf(document, { $ref: '#/components/schemas/Tree' })
    expect(all?.words).toBe('list of object')
    expect(partsOf(document, all?.schema).map(({ name }) => name)).toEqual(['all'])
  })
})

describe('a call', () => {
  const values = { 'path:set': 'a/b', 'query:ttlSeconds': '60', 'header:if-match': '"3"', 'query:unknown': 'x' }
  const body = { type: 'application/json', text: '{"name":"Ada"}' }

  test('has each value in its place, and names those that are missing', () => {
    expect(missingOf(put, values)).toEqual(['key'])
    expect(askedOf(put, { ...values, 'path:key': 'é ?' }, body)).toEqual({
      method: 'PUT',
      path: '/sets/a%2Fb/records/%C3%A9%20%3F?ttlSeconds=60',
      headers: { 'Content-Type': 'application/json', 'if-match': '"3"' },
      body: '{"name":"Ada"}',
    })
  })

  test('is shown with the examples of the document before it is filled in', () => {
    expect(askedOf(put, withExamples(put, {}), undefined)).toEqual({
      method: 'PUT',
      path: '/sets/users/records/KEY',
      headers: {},
      body: undefined,
    })
  })

  test('is a program in other languages, with the token from its file or from the environment', () => {
    const asked = askedOf(put, { ...values, 'path:key': 'k' }, body)
    const origin = 'http://127.0.0.1:7373/x'
    const file = { origin, tokenFile: '/srv/a "b"/admin.token' }
    expect(javaScriptOf(asked, file)).toContain(String.raw`readFileSync("/srv/a \"b\"/admin.token", 'utf8')`)
    expect(javaScriptOf(asked, file)).toContain(String.raw`body: "{\"name\":\"Ada\"}"`)
    expect(pythonOf(asked, file)).toContain(String.raw`open("/srv/a \"b\"/admin.token")`)
    const own = { origin, tokenFile: undefined }
    expect(javaScriptOf(asked, own)).toContain('process.env.TESSERA_TOKEN')
    expect(pythonOf(asked, own)).toContain('os.environ["TESSERA_TOKEN"]')
    for (const text of [javaScriptOf(asked, own), pythonOf(asked, own)])
      expect(text).toContain('"http://127.0.0.1:7373/x/sets/a%2Fb/records/k?ttlSeconds=60"')
  })

  test('is a program that sends a file, or prints a stream as it arrives', () => {
    const place = { origin: 'http://127.0.0.1:7373', tokenFile: undefined }
    const upload = { method: 'POST', path: '/import', headers: { 'Content-Type': 'text/csv' }, file: 'my "rows".csv' }
    expect(javaScriptOf(upload, place)).toContain(String.raw`body: readFileSync("my \"rows\".csv"),`)
    expect(javaScriptOf(upload, place)).toMatch(/^import \{ readFileSync \} from 'node:fs'/)
    expect(pythonOf(upload, place)).toContain(String.raw`data=open("my \"rows\".csv", "rb").read(),`)
    const scan = { method: 'POST', path: '/scan', headers: { Accept: 'application/x-ndjson' }, body: '{}' }
    expect(javaScriptOf(scan, place)).toContain('for await (const part of answer.body)')
    expect(pythonOf(scan, place)).toContain('for line in answer:')
    expect(pythonOf(scan, place)).toContain('"Content-Type": "application/json"')
  })
})
