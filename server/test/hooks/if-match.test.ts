// If-Match: one rule for every route that takes it.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Document, makeDocument } from '../openapi/document.js'
import { useGateway } from '../gateway.js'

const threshold = { metric: 'latency.p99', op: 'get', when: 'above', value: 1, forSeconds: 60 }
const query = { name: 'q', namespace: 'n', request: '{}' }
const rule = { name: 'r', severity: 'warning', threshold }
const record = '/api/v1/namespaces/n/sets/s/records/k'
const loose = '/api/v1/namespaces/n/records/k'
const webhook = '/api/v1/alerts/webhook'

/** Operations with `If-Match`, what they send, and what a stale tag gets. */
const guarded = [
  ['updateNamespace', 'PATCH', '/api/v1/namespaces/n', { defaultTtlSeconds: 60 }, 'precondition_failed'],
  ['restoreConfigRevision', 'POST', '/api/v1/namespaces/n/config/revisions/1/restore', {}, 'precondition_failed'],
  ['updateServerConfig', 'PATCH', '/api/v1/config', { settings: { streams: 64 } }, 'precondition_failed'],
  ['restoreServerRevision', 'POST', '/api/v1/config/revisions/1/restore', {}, 'precondition_failed'],
  ['putRecord', 'PUT', record, { a: 1 }, 'generation_mismatch'],
  ['patchRecord', 'PATCH', record, { a: 1 }, 'generation_mismatch'],
  ['deleteRecord', 'DELETE', record, undefined, 'generation_mismatch'],
  ['putRecordWithoutSet', 'PUT', loose, { a: 1 }, 'generation_mismatch'],
  ['patchRecordWithoutSet', 'PATCH', loose, { a: 1 }, 'generation_mismatch'],
  ['deleteRecordWithoutSet', 'DELETE', loose, undefined, 'generation_mismatch'],
  ['replaceQuery', 'PUT', '<query>', query, 'precondition_failed'],
  ['removeQuery', 'DELETE', '<query>', undefined, 'precondition_failed'],
  ['setOpenQueries', 'PUT', '/api/v1/queries/open', { items: [] }, 'precondition_failed'],
  ['replaceAlertRule', 'PUT', '<rule>', rule, 'precondition_failed'],
  ['removeAlertRule', 'DELETE', '<rule>', undefined, 'precondition_failed'],
  ['setAlertWebhook', 'PUT', webhook, { url: 'https://example.com/' }, 'precondition_failed'],
  ['removeAlertWebhook', 'DELETE', webhook, undefined, 'precondition_failed'],
] as const

describe('If-Match', () => {
  const gateway = useGateway()
  let document: Document
  const made: Record<string, string> = {}

  /** Makes anew what a test may have deleted. */
  async function make(kind: 'queries' | 'alerts/rules', body: object): Promise<string> {
    const { ok, send } = gateway()
    const items = await ok<{ items: { id: string; name: string }[] }>(`GET /api/v1/${kind}`)
    const old = items.items.find(({ name }) => name === ('name' in body && body.name))
    if (old !== undefined) await send(`DELETE /api/v1/${kind}/${old.id}`)
    return `/api/v1/${kind}/${(await ok<{ id: string }>(`POST /api/v1/${kind}`, { body })).id}`
  }

  beforeAll(async () => {
    document = await makeDocument()
    await gateway().newNamespace('n')
  })

  beforeEach(async () => {
    await gateway().ok(`PUT ${record}`, { body: { a: 0 } })
    await gateway().ok(`PUT ${loose}`, { body: { a: 0 } })
    await gateway().ok(`PUT ${webhook}`, { body: { url: 'https://example.com/' } })
    made['<query>'] = await make('queries', query)
    made['<rule>'] = await make('alerts/rules', rule)
  })

  test('is taken by these operations', () => {
    const taking = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters = [] }) => parameters.some((one) => one.in === 'header' && one.name === 'if-match'))
      .map(({ operationId }) => operationId)
    expect(taking.toSorted()).toEqual([...guarded.map(([id]) => id), 'dropNamespace'].toSorted())
  })

  describe.each(guarded)('of %s', (_id, method, path, body, stale) => {
    const urlOf = () => made[path] ?? path
    // The tag of a namespace, or of the server, guards its revisions too.
    const readOf = () =>
      urlOf().replace(/(\/namespaces\/n)?(\/config)?\/revisions\/.*$/, (_all, ns?: string, config = '') => ns ?? config)
    const etag = async () => (await gateway().send(`GET ${readOf()}`)).headers['etag'] ?? ''
    const ask = async (ifMatch: string) => {
      const answer = await gateway().send(`${method} ${urlOf()}`, {
        ...(body !== undefined && { body }),
        headers: { 'if-match': ifMatch },
      })
      return [answer.status, answer.status < 300 ? '' : answer.json()['code']]
    }
    const done = method === 'DELETE' && path.endsWith('/k') ? 204 : 200

    test('takes the current tag, in quotes', async () => expect(await ask(await etag())).toEqual([done, '']))
    test('takes * for what is there', async () => expect(await ask(' * ')).toEqual([done, '']))
    test('takes a list with the current tag', async () =>
      expect(await ask(`"x",W/"y" ,, "a,b","7",\t${await etag()}`)).toEqual([done, '']))

    test('is not met by another, a weak, and none of several tags', async () => {
      const current = await etag()
      for (const ifMatch of [
        '"x"',
        '""',
        '"0"',
        '"07"',
        '"70000"',
        `W/${current}`,
        '"a,b"',
        `"x", W/${current}`,
        '"x","y"',
      ])
        expect([ifMatch, ...(await ask(ifMatch))]).toEqual([ifMatch, 412, stale])
      expect(await etag()).toBe(current)
    })

    test('is refused if it is no list of tags', async () => {
      const current = await etag()
      const bare = current.replaceAll('"', '')
      const many = Array.from({ length: 17 }, (_, n) => `"${n}"`).join()
      for (const ifMatch of [
        bare,
        `"${bare}`,
        `"a,b", "${bare}`,
        `${bare}"`,
        `'${bare}'`,
        `*, ${current}`,
        `${current} ${current}`,
        `w/${current}`,
        '',
        ',',
        many,
      ])
        expect([ifMatch, ...(await ask(ifMatch))]).toEqual([ifMatch, 400, 'if_match_invalid'])
      expect(await etag()).toBe(current)
    })
  })

  test('a namespace is not dropped, if somebody changed it', async () => {
    const { ok, send } = gateway()
    await gateway().memoryNamespace('kept')
    const url = '/api/v1/namespaces/kept'
    const { etag } = (await send(`GET ${url}`)).headers
    await ok(`PATCH ${url}`, { body: { defaultTtlSeconds: 60 } })
    for (const query of ['', '?dryRun=true']) {
      const answer = await send(`DELETE ${url}${query}`, { headers: { 'if-match': String(etag) } })
      expect(answer.json()).toMatchObject({ status: 412, code: 'precondition_failed', field: 'if-match' })
    }
    const now = (await send(`GET ${url}`)).headers['etag']
    await ok(`DELETE ${url}`, { headers: { 'if-match': String(now) } })
    expect((await send(`GET ${url}`)).status).toBe(404)
  })

  test.each([
    ['DELETE', '/api/v1/namespaces/n/sets/s', undefined],
    ['DELETE', '/api/v1/users/ada', undefined],
    ['PATCH', '/api/v1/namespaces/n/sets/s', { index: true }],
  ] as const)('%s %s has no tag, so none is met', async (method, url, body) => {
    const ask = (ifMatch: string) =>
      gateway().send(`${method} ${url}`, { ...(body !== undefined && { body }), headers: { 'if-match': ifMatch } })
    expect((await ask('"zz"')).json()).toMatchObject({ status: 412, code: 'precondition_failed', field: 'if-match' })
    expect((await ask('*')).status).not.toBe(412)
  })

  test('* is not met by a webhook that is not there', async () => {
    const { ok, send } = gateway()
    await ok(`DELETE ${webhook}`)
    const answer = await send(`PUT ${webhook}`, { body: { url: 'https://example.com/' }, headers: { 'if-match': '*' } })
    expect(answer.json()).toMatchObject({ status: 412, code: 'precondition_failed', field: 'if-match' })
    expect((await send(`GET ${webhook}`)).status).toBe(404)
  })

  test('* is not met by a record that is not there', async () => {
    const headers = { 'if-match': '*' }
    const answer = await gateway().send(`PUT ${record}-absent`, { body: { a: 1 }, headers })
    expect(answer.json()).toMatchObject({ status: 412, code: 'generation_mismatch', field: 'if-match' })
    expect((await gateway().send(`GET ${record}-absent`)).status).toBe(404)
  })

  // RFC 9110, 13.2.1: a condition does not matter if the call is refused without it.
  test.each(guarded.filter(([, method, path]) => method !== 'PUT' && path !== webhook))(
    '* does not change the refusal of %s for what is not there',
    async (_id, method, path, body) => {
      const url = `${(made[path] ?? path).slice(0, -1)}-absent`
      const headers = { 'if-match': '*' }
      const answer = await gateway().send(`${method} ${url}`, { ...(body !== undefined && { body }), headers })
      expect(answer.json()).toMatchObject({ status: 404, code: expect.stringMatching(/_not_found$/) })
    },
  )
})
