// An answer with status 200 may still be cut off, or come from another program.
import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CSV, JSON_TYPE, type MediaType, MSGPACK, NDJSON, wholePieces } from '../../src/cli/answer.js'
import { Client, placeOf } from '../../src/cli/client.js'
import { part } from '../../src/cli/context.js'

let server: Server
let asked: (string | undefined)[] = []
let says: { status: number; headers: OutgoingHttpHeaders; pieces: string[]; breaks?: boolean }

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(says.status, says.headers)
    for (const piece of says.pieces) response.write(piece)
    // What was written has to leave before the connection does.
    if (says.breaks === true) request.socket.destroySoon()
    else response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

beforeEach(() => {
  asked = []
})

afterAll(() => server.close())

const client = (path = '') =>
  new Client(placeOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, data: 'none' }, {}))

const answers = (type: string | undefined, pieces: string[], others: Partial<typeof says> = {}) => {
  says = { status: 200, headers: type === undefined ? {} : { 'content-type': type }, pieces, ...others }
}

/** What is printed, up to a failure. */
async function passed(expected: MediaType) {
  let text = ''
  try {
    const answer = await client().open('GET', '/')
    for await (const piece of wholePieces(answer, [expected])) text += piece.toString()
    return { text }
  } catch (error) {
    return { text, error }
  }
}

test.each<[MediaType, string | undefined, string[], string]>([
  [NDJSON, NDJSON, ['{"a":1}\n{"b"', ':2}\n'], '{"a":1}\n{"b":2}\n'],
  [NDJSON, undefined, ['{', '"a"', ':1}\n'], '{"a":1}\n'],
  [NDJSON, NDJSON, [], ''],
  [
    NDJSON,
    NDJSON,
    ['{"error":{"code":"record_damaged","message":"m","digest":"00"}}\n'],
    '{"error":{"code":"record_damaged","message":"m","digest":"00"}}\n',
  ],
  [NDJSON, NDJSON, ['{"error":5}\n'], '{"error":5}\n'],
  [MSGPACK, MSGPACK, ['\u0001\u0002', '\u0003'], '\u0001\u0002\u0003'],
  [MSGPACK, undefined, [], ''],
  [JSON_TYPE, 'application/json; charset=utf-8', ['{"n":', '9007199254740993}'], '{"n":9007199254740993}\n'],
  [CSV, 'text/csv; charset=utf-8', ['a\n"x\n', 'y"\n'], 'a\n"x\ny"\n'],
])('a whole answer of %s passes as it is: %s %j', async (expected, type, pieces, text) => {
  answers(type, pieces)
  expect(await passed(expected)).toEqual({ text })
})

test.each<[MediaType, string | undefined, string[], string, string]>([
  [NDJSON, NDJSON, ['{"a":1}\n{"b":'], 'cut_off', '{"a":1}\n'],
  [NDJSON, NDJSON, ['{"a":1}\n{"b"\n'], 'answer_invalid', '{"a":1}\n{"b"\n'],
  [NDJSON, NDJSON, ['<html>{\n}'], 'answer_invalid', ''],
  [NDJSON, undefined, ['<html>\n'], 'answer_invalid', ''],
  [NDJSON, 'text/html', ['<html>\n'], 'answer_invalid', ''],
  [
    NDJSON,
    NDJSON,
    ['{"a":1}\n', '{"error":{"code":"job_aborted","message":"m"}}\n'],
    'job_aborted',
    '{"a":1}\n{"error":{"code":"job_aborted","message":"m"}}\n',
  ],
  [NDJSON, NDJSON, ['{"error":{"code":"internal","message":"m"}}'], 'internal', ''],
  [JSON_TYPE, JSON_TYPE, ['{"a":1'], 'cut_off', ''],
  [JSON_TYPE, JSON_TYPE, [], 'answer_invalid', ''],
  [JSON_TYPE, JSON_TYPE, ['[]'], 'answer_invalid', ''],
  [CSV, CSV, ['a,b\n1,'], 'cut_off', 'a,b\n1,'],
  [CSV, CSV, ['a\n"x\n'], 'cut_off', 'a\n"x\n'],
])('a broken answer of %s fails: %s %j: %s', async (expected, type, pieces, code, text) => {
  answers(type, pieces)
  expect(await passed(expected)).toMatchObject({ text, error: { code, exit: 1 } })
})

test('the reason of the server counts more than its closed connection', async () => {
  answers(NDJSON, ['{"error":{"code":"device_full","message":"m"}}\n'], { breaks: true })
  expect(await passed(NDJSON)).toMatchObject({ error: { code: 'device_full' } })
  answers(NDJSON, ['{"a":1}\n'], { breaks: true })
  expect(await passed(NDJSON)).toMatchObject({ text: '{"a":1}\n', error: { code: 'cut_off' } })
})

test('MessagePack that ends within a value is cut off', async () => {
  // In UTF-8 this letter is `true` and the head of a list.
  answers(MSGPACK, ['\u0001', '\u00de'])
  expect(await passed(MSGPACK)).toMatchObject({ error: { code: 'cut_off', exit: 1 } })
})

test('an encoding that was not asked for is refused', async () => {
  answers(NDJSON, ['{"a":1}\n'], { headers: { 'content-type': NDJSON, 'content-encoding': 'gzip' } })
  expect(await passed(NDJSON)).toMatchObject({ text: '', error: { code: 'answer_invalid' } })
  await expect(client().call('GET', '/')).rejects.toThrow('the encoding gzip')
})

test('only a change may have an empty answer', async () => {
  answers(undefined, [], { status: 204 })
  expect(await client().call('DELETE', '/')).toBeUndefined()
  await expect(client().call('GET', '/')).rejects.toThrow('the answer is no JSON object')
  answers(JSON_TYPE, [])
  await expect(client().call('DELETE', '/')).rejects.toThrow('the answer is no JSON object')
})

test.each(['.', '..'])('%j is no part of a path, as it would be another path', (text) => {
  expect(() => part(text)).toThrow('cannot be sent')
})

test.each(['%2e', '%2E.', '...', '.a', 'a/../b', '', '?', '#', '\\..'])('%j stays one part of a path', async (text) => {
  answers(JSON_TYPE, ['{}'])
  await client().call('PUT', `/a/${part(text)}/b`)
  const between = asked[0]?.slice('/a/'.length, -'/b'.length) ?? ''
  expect([asked[0]?.split('/').length, decodeURIComponent(between)]).toEqual([4, text])
})

test.each([
  ['', '/api?a=1'],
  ['/', '/api?a=1'],
  ['/behind/proxy/', '/behind/proxy/api?a=1'],
])('the path %j of the address comes first', async (path, url) => {
  answers(JSON_TYPE, ['{}'])
  await client(path).call('GET', '/api?a=1')
  expect(asked).toEqual([url])
})

test.each(['?a=1', '/#x'])('an address with %s is refused', (end) => {
  expect(() => placeOf({ url: `http://h${end}` }, {})).toThrow('can have no "?" and no "#"')
})
