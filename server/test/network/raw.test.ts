// Raw HTTP over sockets: truncated, smuggled, oversized and slow requests, and many connections. Each gets a clear answer or an end,
// nothing behind it is taken for a request, and others are served meanwhile.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TOKEN, useGateway } from '../gateway.js'

const RECORD = '/api/v1/namespaces/n/sets/s/records'
/** What an attacker wants to be taken for a request of its own. */
const SMUGGLED = `PUT ${RECORD}/smuggled HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}`

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'host: a', `authorization: Bearer ${TOKEN}`, ...headers, '', ''].join('\r\n')
const put = (key: string, ...headers: string[]) =>
  head(`PUT ${RECORD}/${key}`, 'content-type: application/json', ...headers)
const chunked = (key: string, body: string, ...headers: string[]) =>
  `${put(key, 'transfer-encoding: chunked', ...headers)}${body}`

describe('raw HTTP', () => {
  const gateway = useGateway({ headTimeoutMs: 400, idleTimeoutMs: 300, bodyTimeoutMs: 400 })
  let port: number
  let sockets: Socket[] = []

  beforeAll(async () => {
    const { app, memoryNamespace } = gateway()
    await memoryNamespace.call(gateway(), 'n')
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
    // Others are served after each of them, and nothing was smuggled.
    const { send } = gateway()
    expect((await send('GET /healthz', { anonymous: true })).status).toBe(200)
    expect((await send(`GET ${RECORD}/smuggled`)).status).toBe(404)
  })

  function dial(text: string): { socket: Socket; text: () => string; closed: Promise<unknown> } {
    const socket = connect({ port, host: '127.0.0.1' })
    sockets.push(socket)
    let answer = ''
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')))
    socket.write(text)
    return { socket, text: () => answer, closed: once(socket, 'close') }
  }

  /** The statuses of all answers, and the code of the last, once the server has closed. */
  async function answers(text: string): Promise<{ statuses: number[]; code: string | undefined }> {
    const { text: answer, closed } = dial(text)
    await closed
    return {
      statuses: [...answer().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
      code: [...answer().matchAll(/"code":"([a-z_]+)"/g)].at(-1)?.[1],
    }
  }

  test.each([
    ['a length before chunks', put('x', 'content-length: 5', 'transfer-encoding: chunked'), 'content_length_invalid'],
    ['a length after chunks', put('x', 'transfer-encoding: chunked', 'content-length: 5'), 'content_length_invalid'],
    ['two equal lengths', put('x', 'content-length: 5', 'content-length: 5'), 'content_length_invalid'],
    ['a list of lengths', put('x', 'content-length: 5, 5'), 'content_length_invalid'],
    ['a length with a sign', put('x', 'content-length: +5'), 'content_length_invalid'],
    ['a length in hexadecimal', put('x', 'content-length: 0x5'), 'content_length_invalid'],
    ['a length beyond 64 bits', put('x', 'content-length: 99999999999999999999'), 'content_length_invalid'],
    ['an unknown transfer coding', put('x', 'transfer-encoding: xchunked'), 'content_length_invalid'],
    ['chunks that are not the last coding', put('x', 'transfer-encoding: chunked, gzip'), 'content_length_invalid'],
    [
      'two transfer codings',
      put('x', 'transfer-encoding: chunked', 'transfer-encoding: identity'),
      'content_length_invalid',
    ],
    ['a space before the colon', put('x', 'content-length : 5'), 'request_malformed'],
    ['a header that is folded', put('x', 'x-a: b\r\n c', 'content-length: 5'), 'request_malformed'],
    ['a CR alone in a header', put('x', 'x-a: b\rtransfer-encoding: chunked'), 'request_malformed'],
    ['lines that end with LF alone', put('x', 'content-length: 0').replaceAll('\r\n', '\n'), 'request_malformed'],
    ['a huge chunk size', chunked('x', 'ffffffffffffffffff\r\n'), 'request_malformed'],
    ['a negative chunk size', chunked('x', '-1\r\n'), 'request_malformed'],
    ['a chunk size with a space before it', chunked('x', ' 7\r\n{"a":1}\r\n0\r\n\r\n'), 'request_malformed'],
    ['a chunk size that ends with LF alone', chunked('x', '7\n{"a":1}\n0\n\n'), 'request_malformed'],
    ['a chunk that is longer than it says', chunked('x', '3\r\n{"a":1}\r\n0\r\n\r\n'), 'request_malformed'],
    [
      'extensions of a chunk of 100 KB',
      chunked('x', `7;${'x'.repeat(100_000)}\r\n{"a":1}\r\n0\r\n\r\n`),
      'body_too_large',
    ],
  ])('%s is refused, and what follows is no request', async (_name, text, code) => {
    const found = await answers(`${text}${SMUGGLED}`)
    expect(found).toMatchObject({ statuses: [expect.any(Number)], code })
    expect(found.statuses[0]).toBeGreaterThanOrEqual(400)
  })

  test('chunks with short extensions and a trailer are read, and the next request is served', async () => {
    const body = '3;a=b\r\n{"a\r\n4\r\n":1}\r\n0\r\nx-sum: 1\r\n\r\n'
    const found = await answers(`${chunked('chunks', body)}${head('GET /healthz', 'connection: close')}`)
    expect(found.statuses).toEqual([201, 200])
  })

  test('a request that is cut anywhere stores nothing', async () => {
    const whole = put('cut', 'content-length: 7') + '{"a":1}'
    for (let length = 0; length < whole.length; length += 7) {
      const { socket, closed } = dial(whole.slice(0, length))
      socket.end()
      await closed
    }
    expect((await gateway().send(`GET ${RECORD}/cut`)).status).toBe(404)
  })

  test('a body that nobody may send is not waited for', async () => {
    const text = head(`PUT ${RECORD}/x`, 'content-type: application/json', 'content-length: 1000000')
    expect(await answers(text.replace(TOKEN, 'wrong'))).toEqual({ statuses: [401], code: 'auth_invalid' })
  })

  test('a head that never ends is answered, and its connection closed', async () => {
    expect(await answers('GET /healthz HTTP/1.1\r\nhost: a\r\n')).toEqual({ statuses: [408], code: 'request_timeout' })
  })

  test('a connection that says nothing is closed', async () => {
    const { text, closed } = dial('')
    await closed
    expect(text()).not.toContain('HTTP/1.1 200')
  })

  test('a connection that is idle after a request is closed', async () => {
    const { text, closed } = dial(head('GET /healthz'))
    await closed
    expect(text()).toContain('HTTP/1.1 200')
  })

  test('a body that never ends is answered, and stores nothing', async () => {
    expect(await answers(`${put('slow', 'content-length: 7')}{"a"`)).toEqual({ statuses: [408], code: 'body_timeout' })
    expect(await answers(chunked('slow', '4\r\n{"a"\r\n'))).toEqual({ statuses: [408], code: 'body_timeout' })
    expect((await gateway().send(`GET ${RECORD}/slow`)).status).toBe(404)
  })

  test('a thousand connections that send parts of heads cost little, and others are served meanwhile', async () => {
    const before = process.memoryUsage.rss()
    const slow = Array.from({ length: 1000 }, (_, n) => dial(['', 'GET / HT', 'GET / HTTP/1.1\r\nx: '][n % 3] ?? ''))
    await Promise.all(slow.map(({ socket }) => once(socket, 'connect')))
    const { text, closed } = dial(head('GET /healthz', 'connection: close'))
    await closed
    expect(text()).toContain('HTTP/1.1 200')
    // Both ends are in this process: 100 KB for a connection would be far too much.
    expect(process.memoryUsage.rss() - before).toBeLessThan(1000 * 100_000)
    await Promise.all(slow.map((one) => one.closed))
    await expect.poll(() => gateway().app.connections.figures().open).toBe(0)
  })
})
