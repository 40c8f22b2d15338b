// A production server wants the name of what a call destroys: each operation that the document says may ask for it.
import { expect, test } from 'vitest'
import { useGateway } from '../gateway.js'
import { makeDocument, operationsOf } from '../openapi/document.js'

const gateway = useGateway({ environment: 'production' })

/** These need more than a namespace with records; their own tests ask them. */
const ELSEWHERE = ['abandonMigration', 'finishMigration', 'removeOrphan', 'reopenNamespace', 'settleTruncation']

interface Call {
  line: string
  name: string
  body?: object
}

/** The calls that destroy something in the namespace `shop`. */
async function calls(): Promise<Record<string, Call>> {
  const { ok } = gateway()
  await gateway().memoryNamespace('shop')
  await gateway().memoryNamespace('gone')
  for (const set of ['a', 'b']) await gateway().put(`shop/sets/${set}/records/1`, { n: 1 })
  for (const [name, bin] of [
    ['first', 'n'],
    ['second', 'm'],
  ])
    await ok('POST /api/v1/namespaces/shop/indexes?wait=60s', { body: { name, kind: 'range', set: 'a', bin } })
  const { parameters } = await ok<{ parameters: { backup: string } }>('POST /api/v1/namespaces/shop/backups?wait=60s', {
    body: {},
  })
  const id = parameters.backup
  const dropped = await ok<{ restorable: { id: string } }>('DELETE /api/v1/namespaces/gone', {
    headers: { 'x-confirm': 'gone' },
  })
  const fill = { namespace: 'shop', set: 'c', workload: 'RU,50', keys: 10, operations: 10 }
  return {
    truncateSet: { line: 'DELETE /api/v1/namespaces/shop/sets/a', name: 'a' },
    compatibleTruncateSet: { line: 'DELETE /v1/truncate/shop/b', name: 'b' },
    compatibleTruncateNamespace: { line: 'DELETE /v1/truncate/shop', name: 'shop' },
    dropIndex: { line: 'DELETE /api/v1/namespaces/shop/indexes/first', name: 'first' },
    deleteCompatibleIndex: { line: 'DELETE /v1/index/shop/second', name: 'second' },
    startJob: { line: 'POST /api/v1/jobs', name: 'shop', body: { kind: 'truncate', namespace: 'shop' } },
    startWorkload: { line: 'POST /api/v1/workloads', name: 'shop', body: fill },
    restoreBackup: {
      line: `POST /api/v1/backups/${id}/restore`,
      name: 'shop',
      body: { namespace: 'shop', merge: true },
    },
    removeBackup: { line: `DELETE /api/v1/backups/${id}`, name: id },
    removeDropped: { line: `DELETE /api/v1/dropped/${dropped.restorable.id}`, name: 'gone' },
    dropNamespace: { line: 'DELETE /api/v1/namespaces/shop', name: 'shop' },
  }
}

test('each call that destroys something is refused without the name, or with another, and goes through with it', async () => {
  const { send } = gateway()
  const all = await calls()
  const documented = operationsOf(await makeDocument()).filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'x-confirm'),
  )
  expect(documented.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(all), ...ELSEWHERE].toSorted(),
  )
  for (const headers of [{}, { 'x-confirm': 'other' }]) {
    for (const [operation, { line, body }] of Object.entries(all)) {
      const answer = await send(line, { headers, ...(body !== undefined && { body }) })
      expect([operation, answer.status], answer.text).toEqual([operation, 428])
    }
  }
  expect(await gateway().ok('GET /api/v1/namespaces/shop')).toMatchObject({ records: 2 })
  for (const [operation, { line, name, body }] of Object.entries(all)) {
    const answer = await send(line, { headers: { 'x-confirm': name }, ...(body !== undefined && { body }) })
    expect([operation, answer.status < 300], answer.text).toEqual([operation, true])
  }
})
