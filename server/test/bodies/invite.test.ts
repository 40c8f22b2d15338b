// A client that asks before it sends a body is told to go on once its credentials, the type and the length are good.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { TOKEN, useGateway } from '../gateway.js'

describe.each([1, 2])('with %i threads', (workers) => {
  const gateway = useGateway({ workers, bodyLimitBytes: 64 * 1024, overloadDelayMs: 0 })
  const record = 'PUT /api/v1/namespaces/n/sets/s/records/k'
  const load = 'POST /api/v1/namespaces/n/import'
  const NAMESPACES = 'POST /api/v1/namespaces'
  let port: number

  beforeAll(async () => {
    const { app } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
    await gateway().memoryNamespace('n')
  })

  /** All status lines; the body is sent when the server says so. */
  async function ask(line: string, headers: Record<string, string>, body: string): Promise<string[]> {
    const all = {
      host: 'localhost',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      expect: '100-continue',
      connection: 'close',
      ...headers,
    }
    const socket = connect({ port, host: '127.0.0.1' })
    let answers = ''
    socket.on('data', (chunk) => {
      answers += chunk.toString()
      if (answers.endsWith('100 Continue\r\n\r\n')) socket.write(body)
    })
    socket.write(
      [`${line} HTTP/1.1`, ...Object.entries(all).map(([name, text]) => `${name}: ${text}`), '', ''].join('\r\n'),
    )
    await once(socket, 'close')
    return [...answers.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = '']) => status)
  }

  const rows = '{"key":"a","bins":{"n":1}}\n'
  const NDJSON = 'application/x-ndjson'

  test.each<[string, string, Record<string, string>, string, string[]]>([
    ['a record', record, {}, '{"a":1}', ['100', '201']],
    ['a record of a client without a token', record, { authorization: 'Bearer no' }, '{"a":1}', ['401']],
    ['a record of an unknown type', record, { 'content-type': 'text/html' }, '{"a":1}', ['415']],
    ['a record that is too large', record, { 'content-length': '70000' }, '{"a":1}', ['413']],
    ['a namespace', NAMESPACES, {}, '{"name":"m","storage":{"engine":"memory"}}', ['100', '201']],
    ['a namespace of a client without a token', NAMESPACES, { authorization: 'Bearer no' }, '{}', ['401']],
    ['a stream', `${load}?set=s`, { 'content-type': NDJSON }, rows, ['100', '200']],
    ['a stream of a client without a token', `${load}?set=s`, { authorization: 'Bearer no' }, rows, ['401']],
  ])('%s', async (_name, line, headers, body, statuses) => {
    expect(await ask(line, headers, body)).toEqual(statuses)
  })
})
