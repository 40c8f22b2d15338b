// Queries as files: the cells and columns of CSV, what had no column, and when it is chosen; values of MessagePack.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { unpack } from '../../src/msgpack/decode.js'
import { bearer, useGateway } from '../gateway.js'

describe('queries as values of MessagePack', () => {
  const gateway = useGateway({ defaultThreads: 2 })

  test('come one after another, and an import reads them', async () => {
    const { ok } = gateway()
    await gateway().newNamespace('n')
    await gateway().put('n/sets/s/records/a', '{"n":9223372036854775807,"raw":{"$bytes":"AP8="},"d":2.0,"l":[1,2]}')
    const asked = async (body: object) => {
      const answer = await gateway().app.inject({
        method: 'POST',
        url: '/api/v1/namespaces/n/query',
        headers: { ...bearer, accept: 'application/msgpack-seq' },
        payload: { set: 's', ...body },
      })
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/msgpack-seq'])
      return answer.rawPayload
    }
    const whole = await asked({})
    expect(unpack(whole)).toMatchObject({
      set: 's',
      key: 'a',
      bins: { n: 9223372036854775807n, raw: Buffer.from([0, 255]), d: 2, l: [1, 2] },
    })
    expect(unpack(await asked({ aggregate: { all: { op: 'count' } } }))).toEqual({ all: { value: 1 } })
    // Two rows follow each other, and a list of them would have a head.
    const rows = await asked({ select: ['d'], unnest: { bin: 'l', as: 'item' } })
    expect(unpack(Buffer.concat([Buffer.from([0x92]), rows]))).toMatchObject([
      { item: 0, bins: { item: 1 } },
      { item: 1, bins: { item: 2 } },
    ])
    await gateway().newNamespace('copy')
    const report = await ok('POST /api/v1/namespaces/copy/import', {
      body: whole,
      headers: { 'content-type': 'application/vnd.msgpack' },
    })
    expect(report).toMatchObject({ inserted: 1, rejectedTotal: 0 })
    const read = await gateway().send('GET /api/v1/namespaces/copy/sets/s/records/a')
    expect(read.text).toContain('"bins":{"n":9223372036854775807,"raw":{"$bytes":"AP8="},"d":2.0,"l":[1,2]}')
  })
})

describe('CSV', () => {
  const gateway = useGateway({ defaultThreads: 2 })

  test('a query answers CSV under a line of names', async () => {
    const { send } = gateway()
    await gateway().newNamespace('n')
    await gateway().put('n/sets/table/records/a', '{"n":9007199254740993,"t":"x, \\"y\\"","l":[1.50,"é"]}')
    const csv = async (body: object, accept = 'text/csv') => {
      const { status, text, headers } = await send('POST /api/v1/namespaces/n/query', {
        body: { set: 'table', ...body },
        headers: { accept },
      })
      expect([status, headers['content-type'], headers['x-job-id']]).toEqual([
        200,
        'text/csv; charset=utf-8',
        expect.any(String),
      ])
      return text
    }
    expect(await csv({})).toBe('key,n,t,l\r\na,9007199254740993,"x, ""y""","[1.5,""é""]"\r\n')
    expect(await csv({ select: ['none', 'n'] }, 'text/html;q=0, Text/CSV')).toBe(
      'key,none,n\r\na,,9007199254740993\r\n',
    )
    const unnest = { bin: 'l', as: 'item' }
    expect(await csv({ select: ['n'], unnest })).toBe(
      'key,n,item\r\na,9007199254740993,1.5\r\na,9007199254740993,é\r\n',
    )
    expect(await csv({ unnest, group: { by: ['item'] }, where: { bin: 't', op: 'eq', value: '' } })).toBe(
      'item,records\r\n',
    )
    expect(await csv({ aggregate: { all: { op: 'count' }, sum: { op: 'sum', bin: 'n' } } })).toBe(
      'all,sum\r\n1,9007199254740993\r\n',
    )
    const accept = 'text/csv, application/x-ndjson'
    const { headers } = await send('POST /api/v1/namespaces/n/query', { body: { set: 'table' }, headers: { accept } })
    expect(headers['content-type']).toBe('application/x-ndjson')
  })

  test('what Accept wants most is answered, and of what it wants alike what it names most closely', async () => {
    const type = async (accept: string, line = 'query', body: object = {}) => {
      const answer = await gateway().send(`POST /api/v1/namespaces/n/${line}`, {
        body: { set: 'table', ...body },
        headers: { accept },
      })
      return answer.status === 200 ? answer.headers['content-type']?.split(';')[0] : answer.json()['code']
    }
    const [json, lines, csv] = ['application/json', 'application/x-ndjson', 'text/csv']
    for (const [accept, expected] of [
      ['text/csv;q=0.5, application/json', json],
      ['text/csv, application/json;q=0.9', csv],
      ['text/csv, application/json', json],
      ['text/csv, */*', csv],
      ['text/csv, application/x-ndjson;q=0.5', csv],
      ['text/*', csv],
      ['text/*, application/json;q=0.1', csv],
      ['text/*;q=0.1, application/*', json],
      ['text/csv;q=0, text/*', 'not_acceptable'],
      ['text/csv;q=0, */*', json],
      ['text/html', 'not_acceptable'],
      ['*/*', json],
      ['application/*', json],
      ['application/x-ndjson;q=0.5, application/json', json],
      ['application/x-ndjson, application/json', lines],
    ] as const) {
      expect([accept, await type(accept)]).toEqual([accept, expected])
    }
    expect(await type('text/csv, application/json;q=0.1', 'scan')).toBe(json)
    expect(await type('text/*', 'scan')).toBe('not_acceptable')
    expect(await type('application/json;q=0, text/csv', 'scan')).toBe('not_acceptable')
  })

  test('values that have no column are counted, and their bins named', async () => {
    const { app, ok } = gateway()
    await app.listen({ host: '127.0.0.1', port: 0 })
    await gateway().newNamespace('wide')
    // Each has a bin of its own, and all come to more than what the columns are made of.
    const wide = Array.from({ length: 400 }, (_, n) => `{"key":${n},"bins":{"ü☃${n}":"${'x'.repeat(4000)}"}}`)
    await ok('POST /api/v1/namespaces/wide/sets/s/records', {
      body: wide.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const csv = async (body: object) => {
      const { port } = app.server.address() as AddressInfo
      const asked = request({
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/v1/namespaces/wide/query',
        headers: { ...bearer, accept: 'text/csv', 'content-type': 'application/json' },
      })
      asked.end(JSON.stringify({ set: 's', threads: 1, ...body }))
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
      const job = await ok<{ result: object }>(`GET /api/v1/jobs/${String(response.headers['x-job-id'])}`)
      const summary = JSON.parse(response.trailers['x-summary'] ?? '') as { csvLeftOut?: { bins: string[] } }
      return { rows: Buffer.concat(chunks).toString().split('\r\n'), summary, result: job.result }
    }
    const { rows, summary, result } = await csv({})
    const columns = rows[0]?.split(',').slice(1) ?? []
    expect([rows.length, columns.length < wide.length]).toEqual([wide.length + 2, true])
    expect(summary.csvLeftOut).toMatchObject({ values: wide.length - columns.length })
    const named = new Set(summary.csvLeftOut?.bins)
    expect(named.size).toBe(16)
    for (const name of named) expect([name.slice(0, 2), columns.includes(name)]).toEqual(['ü☃', false])
    expect(result).toMatchObject({ csvLeftOut: summary.csvLeftOut })
    const chosen = await csv({ select: ['ü☃7', 'none'] })
    expect([chosen.rows[0], chosen.summary.csvLeftOut]).toEqual(['key,ü☃7,none', undefined])
    expect(chosen.result).not.toHaveProperty('csvLeftOut')
  })
})
