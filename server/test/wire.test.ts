// Requests that lie about themselves, stall or break off: a clear answer on the bare socket, and nothing stored.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, TOKEN, useGateway } from './gateway.js'
import { turnsUntil } from './turns.js'

describe('wire', () => {
  const gateway = useGateway({ bodyTimeoutMs: 300, bodyLimitBytes: 64 * 1024 })
  const record = '/api/v1/namespaces/n/sets/s/records/k'
  let port: number

  beforeAll(async () => {
    const { app } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
    await gateway().memoryNamespace('n')
  })

  const head = (line: string, headers: string[]) =>
    [`${line} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${TOKEN}`, ...headers, '', ''].join('\r\n')

  /** Sends bytes, optionally closes our half, and reads until the server closes its. */
  async function exchangeText(text: string, after: 'keep' | 'end' = 'keep'): Promise<string> {
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.write(text)
    if (after === 'end') socket.end()
    else socket.once('end', () => socket.end())
    await once(socket, 'close')
    return answer
  }

  async function exchange(text: string, after?: 'end'): Promise<{ status: number; code: string | undefined }> {
    const answer = await exchangeText(text, after)
    const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
    return { status: Number(status), code: /"code":"([a-z_]+)"/.exec(answer)?.[1] }
  }

  test('a request without a body keeps its connection when it is refused', async () => {
    const get = `GET ${record}-missing`
    const socket = connect({ port, host: '127.0.0.1' })
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk.toString()))
    socket.write(head(get, []))
    await expect.poll(() => answers).toContain('record_not_found')
    socket.write(head(get, ['connection: close']))
    await once(socket, 'close')
    expect(answers.match(/HTTP\/1\.1 404/g)).toHaveLength(2)
  })

  test.each([
    ['no HTTP', 'hello there\r\n\r\n', 400, 'request_malformed'],
    ['unknown method', 'BREW /pot HTTP/1.1\r\n\r\n', 405, 'method_not_allowed'],
    ['unknown method of a long line', `BREW /${'x'.repeat(300)} HTTP/1.1\r\n\r\n`, 405, 'method_not_allowed'],
    ['unknown method in HTTP/2', 'BREW /pot HTTP/2.0\r\n\r\n', 400, 'request_malformed'],
    ['unknown method without a target', 'BREW HTTP/1.1\r\n\r\n', 400, 'request_malformed'],
    ['method in small letters', 'get /healthz HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['space in the target', 'GET /health z HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'request_malformed'],
    ['target without a slash', 'GET healthz HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'request_malformed'],
    ['header without a colon', 'GET /healthz HTTP/1.1\r\nhost: a\r\nbroken\r\n\r\n', 400, 'request_malformed'],
    ['NUL in a header', 'GET /healthz HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n', 400, 'request_malformed'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'request_malformed'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n', 400, 'request_malformed'],
    ['a host with a path', 'GET /healthz HTTP/1.1\r\nhost: a/b\r\n\r\n', 400, 'request_malformed'],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n', 505, 'http_version_unsupported'],
    ['HTTP/2 on a connection of HTTP/1', 'GET /healthz HTTP/2.0\r\nhost: a\r\n\r\n', 505, 'http_version_unsupported'],
    ['HTTP/3', 'GET /healthz HTTP/3.0\r\nhost: a\r\n\r\n', 505, 'http_version_unsupported'],
    ['HTTP/1.2', 'GET /healthz HTTP/1.2\r\nhost: a\r\n\r\n', 505, 'http_version_unsupported'],
    ['preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'request_malformed'],
    ['HTTP/1.0, which needs no host', 'GET /healthz HTTP/1.0\r\n\r\n', 200, undefined],
    ['an address as the target', head('GET http://a/readyz', ['connection: close']), 200, undefined],
    [
      'an address as the target, of a route that is not there',
      head('GET http://a/api/v1/none', ['connection: close']),
      404,
      'route_not_found',
    ],
    ['all of the server as the target', head('OPTIONS *', ['connection: close']), 204, undefined],
    [
      'an upgrade, which is ignored',
      head('GET /readyz', ['connection: upgrade, close', 'upgrade: h2c']),
      200,
      undefined,
    ],
    [
      'an address with a port as the host',
      'GET /healthz HTTP/1.1\r\nhost: [::1]:7373\r\nconnection: close\r\n\r\n',
      200,
      undefined,
    ],
    ['long target', head(`GET /${'x'.repeat(70_000)}`, []), 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, 'method_not_allowed'],
    ['CONNECT without a host', 'CONNECT / HTTP/1.1\r\n\r\n', 405, 'method_not_allowed'],
    ...['TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'LINK', 'M-SEARCH'].flatMap(
      (method): [string, string, number, string][] => [
        [method, head(`${method} /api/v1/status`, ['connection: close']), 405, 'method_not_allowed'],
        [
          `${method} without a token`,
          `${method} / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
          405,
          'method_not_allowed',
        ],
      ],
    ),
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'request_malformed'],
    [
      'negative length',
      head(`PUT ${record}`, ['content-type: application/json', 'content-length: -5']),
      400,
      'content_length_invalid',
    ],
    [
      'length that is no number',
      head(`PUT ${record}`, ['content-type: application/json', 'content-length: ten']),
      400,
      'content_length_invalid',
    ],
    ['two lengths', head(`PUT ${record}`, ['content-length: 5', 'content-length: 6']), 400, 'content_length_invalid'],
    [
      'length and chunks',
      head(`PUT ${record}`, ['content-length: 5', 'transfer-encoding: chunked']),
      400,
      'content_length_invalid',
    ],
    [
      'an expectation',
      head(`PUT ${record}`, ['expect: the-impossible', 'content-type: application/json', 'content-length: 2']),
      417,
      'expectation_failed',
    ],
    [
      'an expectation beside one that is known',
      head(`PUT ${record}`, ['expect: 100-continue, foo', 'content-type: application/json', 'content-length: 2']),
      417,
      'expectation_failed',
    ],
    ['huge head', head(`GET ${record}`, [`x-filler: ${'x'.repeat(80_000)}`]), 431, 'headers_too_large'],
    [
      'bad chunk size',
      `${head(`PUT ${record}`, ['content-type: application/json', 'transfer-encoding: chunked'])}zz\r\n{}\r\n`,
      400,
      'request_malformed',
    ],
  ])('%s', async (_name, text, status, code) => {
    const answer = await exchange(text)
    expect(answer).toEqual({ status, code })
  })

  test.each(['memory', 'device'])('what came whole before it is answered first, in %s', async (engine) => {
    await gateway().ok('POST /api/v1/namespaces', { body: { name: engine, storage: { engine }, segments: 4 } })
    const put = (key: string) =>
      `${head(`PUT /api/v1/namespaces/${engine}/sets/s/records/${key}`, ['content-type: application/json', 'content-length: 7'])}{"a":1}`
    const socket = connect({ port, host: '127.0.0.1' })
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk.toString()))
    socket.write(`${put('a')}${put('b')}GARBAGE\r\n\r\n`)
    await once(socket, 'close')
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 400'])
  })

  test.each([
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\n\r\n', '405'],
    ['garbage', 'GARBAGE\r\n\r\n', '400'],
  ])('%s comes after the answers before it, and its client cannot keep the connection', async (_name, text, status) => {
    const { server } = gateway().app
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk.toString()))
    socket.write(`${head(`GET ${record}-missing`, [])}${head(`GET ${record}-missing`, [])}${text}`)
    await once(socket, 'end')
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 404', `HTTP/1.1 ${status}`])
    const left = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
    await expect.poll(left).toBe(0)
    socket.destroy()
  })

  test('a method that nobody knows is refused after the answers before it', async () => {
    const answers = await exchangeText(`${head(`GET ${record}-missing`, [])}FOO / HTTP/1.1\r\nhost: a\r\n\r\n`)
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 405'])
  })

  test('who expects to be told to go on is told so, and answered', async () => {
    const lines = ['expect: 100-Continue', 'content-type: application/json', 'content-length: 7', 'connection: close']
    const answers = await exchangeText(`${head(`PUT ${record}-expected`, lines)}{"a":1}`)
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201'])
  })

  test('a refused method names those that there are', async () => {
    for (const [line, allow] of [
      ['TRACE /healthz ', 'GET, HEAD, OPTIONS'],
      ['CONNECT a:1 ', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
      ['FOO /healthz ', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
    ] as const) {
      const answer = await exchangeText(`${line}HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      expect(answer.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}\r\n`)
    }
  })

  test('a header counts however many come before it', async () => {
    const many = Array.from({ length: 2500 }, (_, n) => `x${n}: 1`)
    const text = head(`PUT ${record}`, [
      ...many,
      'if-match: "9"',
      'content-type: application/json',
      'content-length: 2',
    ])
    expect(await exchange(`${text}{}`.replace('HTTP/1.1', 'HTTP/1.1\r\nconnection: close'))).toMatchObject({
      status: 412,
    })
  })

  test('a body that ends early', async () => {
    const text = `${head(`PUT ${record}`, ['content-type: application/json', 'content-length: 100'])}{"a":`
    expect(await exchange(text, 'end')).toEqual({ status: 400, code: 'body_truncated' })
  })

  test('chunks that end early', async () => {
    const text = `${head(`PUT ${record}`, ['content-type: application/json', 'transfer-encoding: chunked'])}5\r\n{"a":\r\n`
    expect(await exchange(text, 'end')).toEqual({ status: 400, code: 'body_truncated' })
  })

  test('a body that never comes', async () => {
    const text = head(`PUT ${record}`, ['content-type: application/json', 'content-length: 100'])
    expect(await exchange(text)).toEqual({ status: 408, code: 'body_timeout' })
  })

  test('a body that declares too much', async () => {
    const text = head(`PUT ${record}`, ['content-type: application/json', 'content-length: 70000'])
    expect(await exchange(text)).toEqual({ status: 413, code: 'body_too_large' })
  })

  test('chunks that add up to too much', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const text = `${head(`PUT ${record}`, ['content-type: application/json', 'transfer-encoding: chunked'])}${chunk.repeat(5)}`
    expect(await exchange(text)).toEqual({ status: 413, code: 'body_too_large' })
  })

  test('more body than was declared is the next request, and no HTTP', async () => {
    const text = `${head(`PUT ${record}x`, ['content-type: application/json', 'content-length: 2'])}{}trailing garbage\r\n\r\n`
    expect(await exchange(text)).toEqual({ status: 201, code: 'request_malformed' })
  })

  test('an upload that stalls', async () => {
    const text = `${head('POST /api/v1/namespaces/n/import?set=stalled&format=csv&key=id', ['content-length: 1000'])}id,a\n1,2\n`
    expect(await exchange(text)).toEqual({ status: 408, code: 'body_timeout' })
  })

  test('an upload that breaks off keeps what was stored and waits, and its job says so', async () => {
    const { app } = gateway()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `${head('POST /api/v1/namespaces/n/import?set=broken&format=ndjson&key=id', ['transfer-encoding: chunked'])}`,
    )
    const row = '{"id":"a","n":1}\n'
    socket.write(`${row.length.toString(16)}\r\n${row}\r\n`)
    const job = await until(() =>
      app.engine.runningJobs().find(({ kind, set }) => kind === 'import' && set === 'broken'),
    )
    // A slow machine starts the job long before it reads the first row.
    await expect.poll(async () => (await app.uploads.progress(job.id)).receivedBytes).toBe(row.length)
    socket.resetAndDestroy()
    await turnsUntil(() => app.engine.job(job.id).state === 'paused')
    expect(app.engine.job(job.id).reason).toBe('upload broke off')
    const { receivedBytes, storedRows } = await app.uploads.progress(job.id)
    expect({ receivedBytes, stored: await app.engine.size('n', 'broken') }).toEqual({
      receivedBytes: row.length,
      stored: storedRows,
    })
  })

  test('a scan whose reader goes away is aborted', async () => {
    const { app } = gateway()
    const lines = Array.from({ length: 500 }, (_, i) => `{"key":${i},"bins":{"i":${i}}}`)
    await gateway().ok('POST /api/v1/namespaces/n/sets/slow/records', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const stop = new AbortController()
    const scan = fetch(`http://127.0.0.1:${port}/api/v1/namespaces/n/scan`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: '{"set":"slow","recordsPerSecond":1,"threads":1}',
      signal: stop.signal,
    }).catch(() => undefined)
    const job = await until(() => app.engine.runningJobs().find(({ kind, set }) => kind === 'scan' && set === 'slow'))
    stop.abort()
    await scan
    expect(await app.engine.waitJob(job.id, 10_000)).toMatchObject({ state: 'aborted' })
  })

  test('nothing of all this was stored, and the server goes on', async () => {
    const { send } = gateway()
    expect((await send(`GET ${record}`)).json()).toMatchObject({ code: 'record_not_found' })
    expect((await send('GET /readyz')).json()).toMatchObject({ ready: true, reasons: [] })
  })
})

/** Asks again after each turn of the event loop until there is an answer. */
async function until<T>(ask: () => T | undefined): Promise<T> {
  for (;;) {
    const answer = ask()
    if (answer !== undefined) return answer
    await new Promise((resolve) => setImmediate(resolve))
  }
}
