// JSON merge-patch (RFC 7396), wherever there is a PATCH.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { mergePatch, wholeMembers } from '../../src/requests/merge-patch.js'
import { useGateway } from '../gateway.js'

const MERGE = { 'content-type': 'application/merge-patch+json' }

/** The test cases of RFC 7396, appendix A. */
test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j with %j is %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result)
})

test('members that a route replaces whole are merged before, and those of limits are emptied by null', () => {
  const current = { limits: { a: 1, b: 2 } }
  expect(wholeMembers(current, { limits: { b: null }, x: null }, ['limits'])).toEqual({ limits: { a: 1 }, x: null })
  expect(wholeMembers(current, { limits: null }, ['limits'])).toEqual({ limits: {} })
  expect(wholeMembers(current, [1])).toEqual([1])
})

describe('of the API', () => {
  const gateway = useGateway()
  const record = '/api/v1/namespaces/n/sets/s/records'
  beforeAll(() => gateway().memoryNamespace('n'))
  const patch = (path: string, body: string, headers = {}) =>
    gateway().send(`PATCH ${path}`, { body, headers: { ...MERGE, ...headers } })
  const binsOf = async (key: string) => {
    const { text } = await gateway().send(`GET ${record}/${key}`)
    return text.slice(text.indexOf('"bins":') + 7, -1)
  }

  test('maps inside bins merge, and what stays is exact', async () => {
    const big = '{"i":9223372036854775807,"d":1.0,"b":{"$bytes":"AP8="},"gone":1,"deep":{"x":1,"y":2}}'
    await gateway().put('n/sets/s/records/a', `{"m":${big},"t":"stays","out":1,"list":[1]}`)
    const answer = await patch(
      `${record}/a`,
      '{"m":{"gone":null,"deep":{"x":null,"z":3}},"out":null,"list":[2],"new":{"a":null,"b":1}}',
    )
    expect([answer.status, answer.json()['generation']]).toEqual([200, 2])
    expect(await binsOf('a')).toContain('"i":9223372036854775807,"d":1.0,"b":{"$bytes":"AP8="},"deep":{"y":2,"z":3}')
    expect(JSON.parse(await binsOf('a'))).toEqual({
      m: { i: 2 ** 63, d: 1, b: { $bytes: 'AP8=' }, deep: { y: 2, z: 3 } },
      t: 'stays',
      list: [2],
      new: { b: 1 },
    })
  })

  test('a patch as JSON replaces maps, as before', async () => {
    await gateway().put('n/sets/s/records/j', { m: { a: 1 } })
    await gateway().ok(`PATCH ${record}/j`, { body: { m: { b: 2 } } })
    expect(JSON.parse(await binsOf('j'))).toEqual({ m: { b: 2 } })
  })

  test('changes of others in between are not lost', async () => {
    await gateway().put('n/sets/s/records/c', { m: {} })
    const patches = Array.from({ length: 12 }, (_, n) => patch(`${record}/c`, `{"m":{"k${n}":${n}}}`))
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(Object.keys((JSON.parse(await binsOf('c')) as { m: object }).m)).toHaveLength(12)
    const { engine } = gateway().app
    const read = vi.spyOn(engine, 'getRecord')
    await gateway().put('n/sets/s/records/i', { m: {} })
    expect((await patch(`${record}/i`, '{"m":{"a":1}}', { 'if-match': '"7"' })).json()['code']).toBe(
      'generation_mismatch',
    )
    expect(read).toHaveBeenCalledTimes(1)
    read.mockRestore()
    expect((await patch(`${record}/i`, '{"m":{"a":1}}', { 'if-match': '"7", "1"' })).status).toBe(200)
  })

  test.each<[string, string, string, number, string]>([
    ['half of JSON', 'a', '{"m":{', 400, 'json_invalid'],
    ['a key twice', 'a', '{"m":{"a":1,"a":2}}', 400, 'json_duplicate_key'],
    ['a number beyond the doubles', 'a', '{"m":{"a":1e400}}', 400, 'number_out_of_range'],
    ['a number of 65 bits', 'a', '{"m":{"a":9223372036854775808}}', 400, 'number_out_of_range'],
    ['a record that is not there', 'none', '{"m":{"a":1}}', 404, 'record_not_found'],
    ['a list', 'a', '[1]', 400, 'json_invalid'],
  ])('%s is refused', async (_name, key, body, status, code) => {
    await gateway().put('n/sets/s/records/a', { m: { old: 1 } })
    const answer = await patch(`${record}/${key}`, body)
    expect([answer.status, answer.json()['code']]).toEqual([status, code])
    expect(JSON.parse(await binsOf('a'))).toEqual({ m: { old: 1 } })
  })

  test('limits of users, tokens and sets merge', async () => {
    const { ok } = gateway()
    const limits = { requestsPerSecond: 10, burst: 20 }
    const password = 'correct horse battery staple'
    await ok('POST /api/v1/users', { body: { name: 'ada', grants: [{ role: 'reader' }], password, limits } })
    const { id } = await ok('POST /api/v1/tokens', { body: { name: 't', grants: [{ role: 'reader' }], limits } })
    for (const path of ['/api/v1/users/ada', `/api/v1/tokens/${String(id)}`]) {
      expect((await patch(path, '{"limits":{"burst":null}}')).json()['limits']).toEqual({ requestsPerSecond: 10 })
      expect((await patch(path, '{"limits":{"burst":5}}')).json()['limits']).toMatchObject({
        requestsPerSecond: 10,
        burst: 5,
      })
      expect((await patch(path, '{"limits":null}')).json()['limits'] ?? {}).toEqual({})
    }
    await gateway().put('n/sets/s/records/x', { a: 1 })
    const set = '/api/v1/namespaces/n/sets/s'
    expect((await patch(set, '{"limits":{"maxRecords":100}}')).status).toBe(200)
    expect((await patch(set, '{"limits":{"maxBytes":1000000}}')).json()['limits']).toMatchObject({
      maxRecords: 100,
      maxBytes: 1_000_000,
    })
    expect((await patch('/api/v1/users/none', '{"limits":null}')).json()['code']).toBe('user_not_found')
  })

  test('every PATCH takes it, and a refused type names what is taken', async () => {
    expect((await patch('/api/v1/namespaces/n', '{"defaultTtlSeconds":60}')).status).toBe(200)
    expect((await patch('/api/v1/slow/settings', '{}')).status).toBeLessThan(500)
    const refused = await patch('/api/v1/namespaces/n', '{}', { 'content-type': 'text/plain' })
    expect([refused.status, refused.headers['accept-patch']]).toEqual([
      415,
      'application/json, application/merge-patch+json',
    ])
    const put = await gateway().send(`PUT ${record}/a`, { body: '{}', headers: MERGE })
    expect([put.status, put.headers['accept-patch']]).toEqual([415, undefined])
  })
})
