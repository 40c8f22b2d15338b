// MessagePack byte for byte: what frames records here, and records themselves through the core.
import { describe, expect, test } from 'vitest'
import { unpack } from '../src/msgpack/decode.js'
import { encode, Written } from '../src/msgpack/encode.js'
import { packJson } from '../src/msgpack/from-json.js'
import { can } from './contract.js'
import { useGateway } from './gateway.js'

const hex = (text: string) => Buffer.from(text, 'hex')
const packed = (value: unknown) => encode('msgpack', value).toString('hex')
const msgpack = { 'content-type': 'application/msgpack' }
const accept = { accept: 'application/msgpack' }

describe('frames', () => {
  test.each([
    [null, 'c0'],
    [[true, false], '92c3c2'],
    [127, '7f'],
    [128, 'd200000080'],
    [-1, 'd2ffffffff'],
    [2 ** 31, 'd30000000080000000'],
    [-(2n ** 63n), 'd38000000000000000'],
    [0.5, 'cb3fe0000000000000'],
    ['é', 'a2c3a9'],
    ['x'.repeat(32), `d920${'78'.repeat(32)}`],
    ['x'.repeat(256), `da0100${'78'.repeat(256)}`],
    ['x'.repeat(65_536), `db00010000${'78'.repeat(65_536)}`],
    [{ a: 1, b: undefined, c: new Written(hex('c0')) }, '82a16101a163c0'],
    [Array.from({ length: 16 }, () => 0), `dc0010${'00'.repeat(16)}`],
  ])('writes %#', (value, bytes) => {
    expect(packed(value)).toBe(bytes)
  })

  test.each([
    ['cc80', 128],
    ['cd0100', 256],
    ['ce80000000', 2 ** 31],
    ['cfffffffffffffffff', 2n ** 64n - 1n],
    ['d0ff', -1],
    ['d1ff00', -256],
    ['d3001fffffffffffff', 2 ** 53 - 1],
    ['e0', -32],
    ['ca3f000000', 0.5],
    ['c40200ff', hex('00ff')],
    ['dd0000000101', [1]],
    ['df00000001a16101', { a: 1 }],
    ['81a95f5f70726f746f5f5f01', JSON.parse('{"__proto__":1}') as unknown],
  ])('reads %s', (bytes, value) => {
    expect(unpack(hex(bytes))).toEqual(value)
  })

  test('members stay as they were written, but not inside one another', () => {
    expect(unpack(hex('9181a372617781a372617701'), ['raw'])).toEqual([{ raw: hex('81a372617701') }])
  })

  test.each([
    ['', 'msgpack_invalid'],
    ['c1', 'msgpack_invalid'],
    ['d40500', 'msgpack_invalid'],
    ['c7010500', 'msgpack_invalid'],
    ['c701', 'msgpack_invalid'],
    ['d41700', 'unsupported'],
    ['c7011700', 'unsupported'],
    ['c0c0', 'msgpack_invalid'],
    ['ddffffffff', 'msgpack_invalid'],
    ['dbffffffff61', 'msgpack_invalid'],
    ['a1ff', 'utf8_invalid'],
    ['810101', 'unsupported'],
    ['82a16101a16102', 'json_duplicate_key'],
    ['91'.repeat(100_000), 'nesting_too_deep'],
  ])('refuses %.20s: %s', (bytes, code) => {
    expect(() => unpack(hex(bytes))).toThrow(expect.objectContaining({ code }) as Error)
  })
})

describe('JSON of the core', () => {
  test.each(['!!!', 'AAE', 'AAF=', 'AA==\n', 'AAEC AAEC'])('a map whose `$bytes` is %j stays a map', (text) => {
    expect(unpack(packJson(JSON.stringify({ $bytes: text })))).toEqual({ $bytes: text })
  })

  test.each(['', 'AAEC', 'AP8='])('a map whose `$bytes` is %j is bytes', (text) => {
    expect(unpack(packJson(JSON.stringify({ $bytes: text })))).toEqual(Buffer.from(text, 'base64'))
  })
})

describe('records', () => {
  const gateway = useGateway()
  const kv = '/v1/kvs/test/s'

  test('bytes and integers come back as they went in', async () => {
    const { send } = gateway()
    await gateway().newNamespace('test')
    // {"b": 00 ff, "n": -2^63, "l": [b"", 0.5]}
    const bins = hex('83a162c40200ffa16ed38000000000000000a16c92c400cb3fe0000000000000')
    expect((await send(`POST ${kv}/k`, { body: bins, headers: msgpack })).status).toBe(201)
    const answer = await gateway().app.inject({
      url: `${kv}/k`,
      headers: { ...accept, authorization: `Bearer ${'T'.repeat(43)}` },
    })
    expect(answer.headers['content-type']).toBe('application/msgpack')
    expect(unpack(answer.rawPayload)).toMatchObject({ generation: 1, bins: unpack(bins) })
    expect((await send(`GET ${kv}/k`)).text).toContain('"b":"AP8=","n":-9223372036854775808,"l":["",0.5]')
  })

  test.each([
    ['81a16101ff', 400],
    ['81a161', 400],
    ['91c0', 400],
    ['81a161cf8000000000000000', 400],
    ['81a161d40500', 400],
    ['81a161d41700', 501],
    ['81a161810101', 501],
    ['81a161ddffffffff', 400],
    [`81a161${'91'.repeat(1000)}c0`, 400],
  ])('%.24s answers %i', async (bytes, status) => {
    const answer = await gateway().send(`POST ${kv}/bad`, { body: hex(bytes), headers: msgpack })
    expect(answer.status, answer.text).toBe(status)
    expect(answer.json()).toMatchObject({ inDoubt: false })
    expect((await gateway().send(`GET ${kv}/bad`)).status).toBe(404)
  })

  test.each(['POST /v1/operate/test/s/k', 'POST /v2/operate/test/s/k', 'POST /v1/batch'])(
    '%s with GeoJSON is not there',
    async (line) => {
      const opsList = [{ type: 'PUT', binName: 'g', value: new Written(hex('d41700')) }]
      const named = [{ operation: 'PUT', opValues: { bin: 'g', value: new Written(hex('d41700')) } }]
      const batch = [{ type: 'WRITE', key: { namespace: 'test', userKey: 'k' }, opsList }]
      const body = line.includes('batch') ? batch : line.includes('/v1/') ? named : { opsList }
      const answer = await gateway().send(line, { body: encode('msgpack', body), headers: msgpack })
      expect(answer.status, answer.text).toBe(501)
    },
  )

  test('the answer is what the Accept header prefers', async () => {
    const { send } = gateway()
    for (const [header, type] of [
      ['application/msgpack, application/json', 'application/msgpack'],
      ['application/json, application/msgpack', 'application/json'],
      ['application/json;q=0.5, application/msgpack', 'application/msgpack'],
      ['application/msgpack;q=0, */*', 'application/json'],
      ['*/*', 'application/json'],
    ] as const) {
      expect((await send(`GET ${kv}/k`, { headers: { accept: header } })).headers['content-type']).toBe(type)
    }
    const error = await gateway().send(`GET ${kv}/k?keytype=X`, { headers: accept })
    expect([error.status, error.headers['content-type']]).toEqual([400, 'application/msgpack'])
  })

  test('operations in one form are answered in the other', async () => {
    const { send } = gateway()
    // [{"operation": "READ", "opValues": {"bin": "b"}}]
    const operations = hex('9182a96f7065726174696f6ea452454144a86f7056616c75657381a362696ea162')
    const answer = await send('POST /v1/operate/test/s/k', { body: operations, headers: msgpack })
    expect(answer.json()).toEqual({ generation: 1, ttl: -1, bins: { b: 'AP8=' } })
  })

  test('a query in pages: 501 records, 100 a page, 6 requests', async () => {
    const { send } = gateway()
    for (let i = 0; i < 501; i += 1)
      await send(`POST /v1/kvs/test/paged/k${i}`, {
        body: `{"i":${i}}`,
        headers: { 'content-type': 'application/json' },
      })
    const keys = new Set<string>()
    let requests = 0
    let from: string | undefined
    do {
      const answer = await send('POST /v1/query/test/paged?maxRecords=100&getToken=true', { body: { from } })
      const page = answer.json<{ records: { userKey: string }[]; pagination: { nextToken?: string } }>()
      for (const { userKey } of page.records) keys.add(userKey)
      requests += 1
      from = page.pagination.nextToken
    } while (from !== undefined)
    expect([keys.size, requests]).toEqual([501, 6])
  })

  test.runIf(can('segments'))('ranges of partitions share the records among them', async () => {
    const { send } = gateway()
    let total = 0
    for (let begin = 0; begin < 4096; begin += 1024) {
      const page = await send(`POST /v1/query/test/paged/${begin}/1024`, { body: {} })
      const { totalRecords } = page.json<{ pagination: { totalRecords: number } }>().pagination
      expect(totalRecords).toBeLessThan(501)
      total += totalRecords
    }
    expect(total).toBe(501)
  })
})
