// MessagePack of /api/v1: bodies and answers say what JSON says, with exact integers and bytes as bytes.
import { beforeAll, describe, expect, test } from 'vitest'
import { unpack } from '../../src/msgpack/decode.js'
import { encode } from '../../src/msgpack/encode.js'
import { packJson } from '../../src/msgpack/from-json.js'
import { linesOfPacked } from '../../src/msgpack/to-json.js'
import { bearer, TOKEN, useGateway } from '../gateway.js'

const PACKED = 'application/msgpack'
const pack = (value: unknown) => encode('msgpack', value)
const hex = (text: string) => Buffer.from(text, 'hex')

describe('JSON as MessagePack', () => {
  test.each<[string, string]>([
    ['9223372036854775807', 'd37fffffffffffffff'],
    ['-9223372036854775808', 'd38000000000000000'],
    ['1.0', 'cb3ff0000000000000'],
    ['-0.0', 'cb8000000000000000'],
    ['1e2', 'cb4059000000000000'],
    [' [ true , null,false ] ', '93c3c0c2'],
    ['{ }', '80'],
    ['[]', '90'],
    [String.raw`"\"\\\u00e9"`, 'a4225cc3a9'],
    ['{"$bytes":"AP8="}', 'c40200ff'],
    ['[{"$bytes": "" }]', '91c400'],
    ['{"$bytes":"AP8=","b":1}', '82a6246279746573a44150383da16201'],
    ['{"$bytes":1}', '81a624627974657301'],
    ['{"b":1,"$bytes":"AP8="}', '82a16201a6246279746573a44150383d'],
    [`[${'0,'.repeat(15)}0]`, `dc0010${'00'.repeat(16)}`],
  ])('%s', (json, bytes) => {
    expect(packJson(json).toString('hex')).toBe(bytes)
  })

  test('is as long as it has to be, and read again as it was', () => {
    const value = Array.from({ length: 20_000 }, (_, n) => ({ [`n${n}`]: [n, -n - 1, 'é'.repeat(n % 40), null] }))
    expect(unpack(packJson(JSON.stringify(value)), [])).toEqual(value)
  })
})

test('doubles of a list keep their point, and bytes are told as such', () => {
  const body = Buffer.concat([hex('9283a36b6579c40200ff'), hex('a462696e7383a164'), hex('cb3ff0000000000000')])
  const rest = hex('a169d37fffffffffffffffa162c40101a26f70a3707574')
  const second = pack({ key: 1, bins: {} })
  expect(linesOfPacked(Buffer.concat([body, rest, second]), 'records').toString()).toBe(
    '{"key":{"bytes":"AP8="},"bins":{"d":1.0,"i":9223372036854775807,"b":{"$bytes":"AQ=="}},"op":"put"}\n{"key":1,"bins":{}}\n',
  )
  expect(() => linesOfPacked(pack({}), 'keys')).toThrow('the body must be a list of keys')
  expect(linesOfPacked(hex('91cb7ff8000000000000'), 'keys').toString()).toBe('1e999\n')
})

describe('the API', () => {
  const gateway = useGateway()
  const record = '/api/v1/namespaces/n/sets/s/records'
  beforeAll(() => gateway().memoryNamespace('n'))

  /** Answers as they are: the status, the type, and the value. */
  async function ask(line: string, body?: Buffer, headers: Record<string, string> = {}) {
    const [method = '', url = ''] = line.split(' ')
    const answer = await gateway().app.inject({
      method: method as 'GET',
      url,
      headers: { ...bearer, accept: PACKED, ...(body !== undefined && { 'content-type': PACKED }), ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const type = answer.headers['content-type']
    const isPacked = type === PACKED
    return { status: answer.statusCode, type, value: isPacked ? unpack(answer.rawPayload) : answer.body, answer }
  }

  const bins = () =>
    Buffer.concat([
      hex('84a169d37fffffffffffffff'),
      hex('a162c40200ffa164cb3ff0000000000000a174a3'),
      Buffer.from('Ada'),
    ])

  test('a record is written and read', async () => {
    const put = await ask(`PUT ${record}/a`, bins())
    expect(put).toMatchObject({ status: 201, type: PACKED, value: { created: true, generation: 1 } })
    const got = await ask(`GET ${record}/a`)
    expect(got).toMatchObject({ status: 200, type: PACKED, value: { key: 'a', generation: 1, set: 's' } })
    expect((got.value as { bins: object }).bins).toEqual({ i: 2n ** 63n - 1n, b: hex('00ff'), d: 1, t: 'Ada' })
    expect(got.answer.headers['etag']).toBe('"1"')
    expect(got.answer.rawPayload.includes(hex('a164cb3ff0000000000000'))).toBe(true)
    expect((await gateway().send(`GET ${record}/a`)).text).toContain(
      '"i":9223372036854775807,"b":{"$bytes":"AP8="},"d":1.0,"t":"Ada"',
    )
    const patched = await ask(`PATCH ${record}/a`, pack({ t: null, n: 7 }))
    expect(patched).toMatchObject({ status: 200, value: { created: false, generation: 2 } })
    expect((await gateway().ok(`GET ${record}/a`))['bins']).toMatchObject({ n: 7, d: 1 })
    expect((await gateway().ok(`GET ${record}/a`))['bins']).not.toHaveProperty('t')
    const tagged = await ask(`GET ${record}/a`, undefined, { 'if-none-match': '"2"' })
    expect([tagged.status, tagged.answer.body]).toEqual([304, ''])
  })

  test('many are written and read', async () => {
    const items = Array.from({ length: 40 }, (_, n) => ({ key: n, bins: { n, big: 2n ** 62n + BigInt(n) } }))
    const written = await ask(`POST ${record.replace('/s/', '/many/')}`, pack([...items, { bins: {} }]))
    expect(written).toMatchObject({ status: 200, type: PACKED, value: { written: 40, rejectedTotal: 1 } })
    expect(written.value).toMatchObject({ rejected: [{ line: 41, code: 'key_missing' }] })
    const read = await ask('POST /api/v1/namespaces/n/sets/many/read', pack([3, 'none', 5]))
    expect(read).toMatchObject({ status: 200, type: PACKED })
    expect(read.value).toMatchObject([
      { key: 3, bins: { n: 3, big: 2n ** 62n + 3n } },
      { key: 'none', missing: true },
      { key: 5 },
    ])
    const page = await ask('GET /api/v1/namespaces/n/sets/many/records?limit=30')
    expect(page.value).toMatchObject({ truncated: true, limit: 30 })
    expect((page.value as { items: unknown[] }).items).toHaveLength(30)
    for (const [line, body] of [
      ['scan', { set: 'many' }],
      ['query', { set: 'many', where: { bin: 'n', op: 'ge', value: 0 } }],
    ] as const) {
      const found = await ask(`POST /api/v1/namespaces/n/${line}`, Buffer.from(JSON.stringify(body)), {
        'content-type': 'application/json',
      })
      expect(found).toMatchObject({ status: 200, type: PACKED, value: { summary: { returned: 40 } } })
      expect((found.value as { records: unknown[] }).records).toHaveLength(40)
    }
  })

  test('JSON stays the default, and comes if it is wanted more', async () => {
    await gateway().put('n/sets/s/records/j', { a: 1 })
    for (const accept of ['*/*', 'application/*', `${PACKED};q=0.5, application/json`, `application/json, ${PACKED}`])
      expect([accept, (await ask(`GET ${record}/j`, undefined, { accept })).type]).toEqual([accept, 'application/json'])
    expect((await ask(`GET ${record}/j`, undefined, { accept: `application/json;q=0.5, ${PACKED}` })).type).toBe(PACKED)
  })

  test('compressed answers and repeated ones are MessagePack too', async () => {
    await gateway().put('n/sets/s/records/long', { text: 'x'.repeat(5000) })
    const long = await ask(`GET ${record}/long`, undefined, { 'accept-encoding': 'gzip' })
    expect(long).toMatchObject({ type: PACKED, value: { bins: { text: 'x'.repeat(5000) } } })
    const key = { 'idempotency-key': 'once' }
    const body = pack([{ key: 'i', bins: {} }])
    const first = await ask(`POST ${record}`, body, key)
    const again = await ask(`POST ${record}`, body, key)
    expect([again.value, again.answer.headers['idempotency-replayed']]).toEqual([first.value, 'true'])
  })

  test('a number that is not finite costs its record alone', async () => {
    const body = pack([
      { key: 'i', bins: { a: Number.NaN } },
      { key: 'j', bins: { a: -Infinity } },
      { key: 'k', bins: {} },
    ])
    const rejected = [1, 2].map((line) => ({ line, code: 'number_out_of_range', field: 'a' }))
    expect((await ask(`POST ${record}`, body)).value).toMatchObject({ written: 1, rejected })
  })

  test.each<[string, string, Buffer | undefined, Record<string, string>, number, string]>([
    ['half a value', `PUT ${record}/bad`, hex('81a16'.padEnd(6, '0')), {}, 400, 'msgpack_invalid'],
    ['an extension', `PUT ${record}/bad`, hex('81a161d40500'), {}, 400, 'msgpack_invalid'],
    ['a map in the place of a list', `POST ${record}`, pack({}), {}, 400, 'msgpack_invalid'],
    [
      'a route that does not take it',
      'POST /api/v1/namespaces',
      pack({ name: 'x' }),
      { accept: '*/*' },
      415,
      'media_type_unsupported',
    ],
    ['a route that does not answer it', 'GET /api/v1/status', undefined, {}, 406, 'not_acceptable'],
    ['a missing record', `GET ${record}/none`, undefined, {}, 404, 'record_not_found'],
  ])('%s is refused', async (_name, line, body, headers, status, code) => {
    const answer = await ask(line, body, headers)
    expect([answer.status, answer.type]).toEqual([status, 'application/problem+json'])
    expect(JSON.parse(answer.answer.body)).toMatchObject({ code })
    expect((await gateway().send(`GET ${record}/bad`)).status).toBe(404)
  })
})

describe('an answer that is too long', () => {
  const gateway = useGateway({ bodyLimitBytes: 64 * 1024 })

  test('is refused with its code, and is sent as NDJSON', async () => {
    const { send } = gateway()
    await gateway().memoryNamespace('n')
    for (let key = 0; key < 60; key += 1) await gateway().put(`n/sets/s/records/${key}`, { text: 'x'.repeat(20_000) })
    const headers = { accept: PACKED, authorization: `Bearer ${TOKEN}` }
    const refused = await send('POST /api/v1/namespaces/n/scan', { body: { set: 's' }, headers })
    expect([refused.status, refused.json()['code']]).toEqual([400, 'answer_too_large'])
    const lines = await send('POST /api/v1/namespaces/n/scan', {
      body: { set: 's' },
      headers: { ...headers, accept: 'application/x-ndjson' },
    })
    expect(lines.text.trimEnd().split('\n')).toHaveLength(60)
  })
})
