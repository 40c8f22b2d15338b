// Scans, streams and reads of many records as values of MessagePack: what NDJSON is to JSON, with exact integers and bytes.
import { beforeAll, describe, expect, test } from 'vitest'
import { packJson } from '../../src/msgpack/from-json.js'
import { unpack } from '../../src/msgpack/decode.js'
import { bearer, useGateway } from '../gateway.js'

const VALUES = 'application/msgpack-seq'
const LINES = 'application/x-ndjson'
const SCAN = '/api/v1/namespaces/n/scan'
const STREAM = '/api/v1/namespaces/n/stream'
const READ = '/api/v1/namespaces/n/sets/s/read'

describe('values of MessagePack', () => {
  const gateway = useGateway({ defaultThreads: 1 })
  beforeAll(async () => {
    await gateway().memoryNamespace('n')
    await gateway().put('n/sets/s/records/a', '{"n":9223372036854775807,"raw":{"$bytes":"AP8="},"d":2.0,"l":[1,2]}')
    for (const key of ['b', 'c']) await gateway().put(`n/sets/s/records/${key}`, '{"n":-1,"t":"é\\n☃"}')
  })

  const ask = async (url: string, payload: object, accept: string) => {
    const answer = await gateway().app.inject({
      method: 'POST',
      url,
      headers: { ...bearer, accept, 'content-type': 'application/json' },
      payload,
    })
    return { status: answer.statusCode, type: answer.headers['content-type'], bytes: answer.rawPayload, answer }
  }

  /** Both forms of one answer. Both read in the order of slots. */
  const both = async (url: string, payload: object) => {
    const [values, lines] = [await ask(url, payload, VALUES), await ask(url, payload, LINES)]
    expect([values.status, values.type]).toEqual([200, VALUES])
    return { values, lines: lines.bytes.toString().split('\n').filter(Boolean) }
  }

  test.each<[string, string, object]>([
    ['a scan', SCAN, { set: 's' }],
    ['a scan with marks of segments', SCAN, { set: 's', segmentMarks: true }],
    ['a scan with a limit', SCAN, { set: 's', limit: 2 }],
    ['a scan of nothing', SCAN, { set: 's', where: { bin: 'n', op: 'eq', value: 5 } }],
    ['a stream', STREAM, { set: 's', steps: [] }],
    ['rows of a stream', STREAM, { set: 's', steps: [{ map: ['n', 'raw'] }, { sort: { bin: 'n', limit: 3 } }] }],
    ['a count of a stream', STREAM, { set: 's', steps: [{ count: true }] }],
    ['figures of a stream', STREAM, { set: 's', steps: [{ reduce: { sum: { op: 'sum', bin: 'n' } } }] }],
    ['groups of a stream', STREAM, { set: 's', steps: [{ groupBy: { by: ['t'] } }] }],
    ['a read of many records', READ, ['a', 'c', 'nobody']],
  ])('%s: each is what its line of NDJSON is', async (_, url, payload) => {
    const { values, lines } = await both(url, payload)
    expect(values.bytes).toEqual(Buffer.concat(lines.map(packJson)))
  })

  test('are exact, and have no page', async () => {
    const { bytes, answer } = await ask(SCAN, { set: 's', where: { bin: 'd', op: 'eq', value: 2 } }, VALUES)
    expect(unpack(bytes)).toMatchObject({
      key: 'a',
      bins: { n: 9223372036854775807n, raw: Buffer.from([0, 255]), d: 2, l: [1, 2] },
    })
    expect(JSON.parse(answer.trailers['x-summary'] ?? '')).toMatchObject({ returned: 1 })
    const rows = Array.from({ length: 1100 }, (_, key) => `{"key":${key},"bins":{"n":1}}`).join('\n')
    const headers = { 'content-type': LINES }
    await gateway().ok('POST /api/v1/namespaces/n/sets/many/records', { body: rows, headers })
    for (const [url, body] of [
      [SCAN, {}],
      [STREAM, { steps: [] }],
    ] as const) {
      const all = await ask(url, { set: 'many', ...body }, VALUES)
      // A list of them would have a head.
      const list = Buffer.concat([Buffer.from([0xdc, 1100 >> 8, 1100 & 0xff]), all.bytes])
      expect(unpack(list, [])).toHaveLength(1100)
    }
  })

  test('figures of a scan are one value', async () => {
    const { bytes } = await ask(SCAN, { set: 's', aggregate: { all: { op: 'count' } } }, VALUES)
    expect(unpack(bytes)).toEqual({ all: { value: 3 } })
  })

  test('an import reads those of a scan', async () => {
    const { bytes } = await ask(SCAN, { set: 's' }, VALUES)
    await gateway().memoryNamespace('copy')
    const headers = { 'content-type': 'application/msgpack' }
    const report = await gateway().ok('POST /api/v1/namespaces/copy/import', { body: bytes, headers })
    expect(report).toMatchObject({ inserted: 3, rejectedTotal: 0 })
    const read = await gateway().send('GET /api/v1/namespaces/copy/sets/s/records/a')
    expect(read.text).toContain('"bins":{"n":9223372036854775807,"raw":{"$bytes":"AP8="},"d":2.0,"l":[1,2]}')
  })

  test.each<[string, string, object, number, string]>([
    ['of a namespace that is not there', '/api/v1/namespaces/none/scan', {}, 404, 'namespace_not_found'],
    ['of a filter that is none', SCAN, { where: { bin: 'n', op: 'like', value: 1 } }, 400, 'filter_invalid'],
    ['of a step that is none', STREAM, { steps: [{ jump: 1 }] }, 400, 'stream_invalid'],
    ['of keys that are none', READ, [{}], 400, 'key_invalid'],
  ])('a refusal %s is a problem', async (_, url, payload, status, code) => {
    const refused = await ask(url, payload, VALUES)
    expect([refused.status, refused.type]).toEqual([status, 'application/problem+json'])
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code })
  })

  test('are sent only if they are named, and wanted most', async () => {
    const type = async (accept: string, url = SCAN, payload: object = { set: 's' }) =>
      (await ask(url, payload, accept)).type
    expect(await type('*/*')).toBe('application/json')
    expect(await type('application/*')).toBe('application/json')
    expect(await type(`${VALUES};q=0.5, ${LINES}`)).toBe(LINES)
    expect(await type(`${VALUES}, ${LINES};q=0.5`)).toBe(VALUES)
    expect(await type('*/*', READ, ['a'])).toBe(LINES)
    expect(await type(`${VALUES}, application/msgpack;q=0.5`, READ, ['a'])).toBe(VALUES)
    expect(await type(VALUES, '/api/v1/namespaces/n/sets/s/records', [])).toBe('application/problem+json')
  })
})
