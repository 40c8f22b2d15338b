// If-None-Match: what has an ETag answers 304 to a reader that has the current state.
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, useGateway } from '../gateway.js'
import { makeDocument } from '../openapi/document.js'

const record = '/api/v1/namespaces/n/sets/s/records/k'
const loose = '/api/v1/namespaces/n/records/k'
const webhook = '/api/v1/alerts/webhook'
const threshold = { metric: 'latency.p99', op: 'get', when: 'above', value: 1, forSeconds: 60 }

/** Reads with an ETag, and where. */
const tagged = [
  ['getNamespace', '/api/v1/namespaces/n'],
  ['getRecord', record],
  ['getRecordWithoutSet', loose],
  ['getQuery', '<query>'],
  ['getOpenQueries', '/api/v1/queries/open'],
  ['getAlertRule', '<rule>'],
  ['getAlertWebhook', webhook],
  ['getOpenapi', '/api/v1/openapi.json'],
  ['getServerConfig', '/api/v1/config'],
] as const

describe('If-None-Match', () => {
  const gateway = useGateway()
  const made: Record<string, string> = {}

  const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    gateway().app.inject({ method, url: made[url] ?? url, headers: { ...bearer, ...headers } })
  const etagOf = async (url: string) => String((await ask(url)).headers.etag)

  beforeAll(async () => {
    const { ok } = gateway()
    await gateway().newNamespace('n')
    for (const url of [record, loose]) await ok(`PUT ${url}`, { body: { a: 'x'.repeat(4000) } })
    await ok(`PUT ${webhook}`, { body: { url: 'https://example.com/' } })
    const query = await ok<{ id: string }>('POST /api/v1/queries', {
      body: { name: 'q', namespace: 'n', request: '{}' },
    })
    const rule = await ok<{ id: string }>('POST /api/v1/alerts/rules', {
      body: { name: 'r', severity: 'warning', threshold },
    })
    made['<query>'] = `/api/v1/queries/${query.id}`
    made['<rule>'] = `/api/v1/alerts/rules/${rule.id}`
  })

  test('is declared by these reads, with 304', async () => {
    const { paths } = await makeDocument()
    const reads = Object.values(paths).flatMap(({ get }) => (get === undefined ? [] : [get]))
    const declared = reads.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'if-none-match'))
    expect(declared.map(({ operationId }) => operationId).toSorted()).toEqual(tagged.map(([id]) => id).toSorted())
    for (const { responses } of declared) expect(Object.keys(responses)).toContain('304')
  })

  describe.each<readonly [string, string]>([...tagged, ['the table of errors', '/docs/errors']])(
    'of %s',
    (_name, url) => {
      test('with the current tag, weak or strong or in a list, is answered with 304 and no body', async () => {
        const etag = await etagOf(url)
        const bare = etag.replace('W/', '')
        for (const tags of [etag, bare, `W/${bare}`, `"x",, ${etag}`, '*']) {
          const answer = await ask(url, { 'if-none-match': tags })
          expect([tags, answer.statusCode, answer.body, answer.headers.etag]).toEqual([tags, 304, '', etag])
          expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String) })
          expect(answer.headers).not.toHaveProperty('content-type')
          expect(answer.headers).not.toHaveProperty('content-length')
        }
      })

      test('of HEAD as well', async () => {
        const whole = await ask(url, {}, 'HEAD')
        const answer = await ask(url, { 'if-none-match': await etagOf(url) }, 'HEAD')
        expect([answer.statusCode, answer.body, answer.headers['content-length']]).toEqual([
          304,
          '',
          whole.headers['content-length'],
        ])
      })

      test('with another tag is answered whole, compressed too', async () => {
        const answer = await ask(url, { 'if-none-match': '"x", W/"y"' })
        expect([answer.statusCode, answer.body.length > 0]).toEqual([200, true])
        const small = await ask(url, { 'if-none-match': '"x"', 'accept-encoding': 'br' })
        const plain =
          small.headers['content-encoding'] === 'br' ? brotliDecompressSync(small.rawPayload) : small.rawPayload
        expect([small.statusCode, plain.length > 0]).toEqual([200, true])
      })

      test('is the same for a reader that takes compressed answers', async () => {
        const headers = { 'accept-encoding': 'gzip', 'if-none-match': await etagOf(url) }
        const answer = await ask(url, headers)
        expect([answer.statusCode, answer.body, answer.headers['content-encoding']]).toEqual([304, '', undefined])
      })

      test.each(['x', '"x', "'x'", '*, "x"', '', 'w/"x"'])('is refused if it is %s', async (wrong) => {
        const answer = await ask(url, { 'if-none-match': wrong })
        expect(answer.json()).toMatchObject({ status: 400, code: 'if_none_match_invalid', field: 'if-none-match' })
      })
    },
  )

  test('of a record that has changed, or that is not there, says so', async () => {
    const before = await etagOf(record)
    await gateway().ok(`PUT ${record}`, { body: { a: 1 } })
    const changed = await ask(record, { 'if-none-match': before })
    expect([changed.statusCode, changed.json<{ bins: unknown }>().bins]).toEqual([200, { a: 1 }])
    const absent = await ask(`${record}-absent`, { 'if-none-match': '*' })
    expect(absent.json()).toMatchObject({ status: 404, code: 'record_not_found' })
  })

  test('* of a write makes a webhook only if there is none', async () => {
    const { send, ok } = gateway()
    const headers = { 'if-none-match': '*' }
    const body = { url: 'https://example.org/' }
    const refused = await send(`PUT ${webhook}`, { body, headers })
    expect(refused.json()).toMatchObject({ status: 412, code: 'precondition_failed', field: 'if-none-match' })
    await ok(`DELETE ${webhook}`)
    expect(await ok(`PUT ${webhook}`, { body, headers })).toMatchObject(body)
    const tag = await send(`PUT ${webhook}`, { body, headers: { 'if-none-match': '"x"' } })
    expect(tag.json()).toMatchObject({ status: 400, code: 'field_invalid', field: 'if-none-match' })
  })
})
