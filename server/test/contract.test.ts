// What engines may differ in is what they declare, and nothing else: each difference is told, and refused by its name.
import { beforeAll, expect, test } from 'vitest'
import { counts, differences, type Feature, lacking, storage } from './contract.js'
import { useGateway } from './gateway.js'

const gateway = useGateway()
const n = '/api/v1/namespaces/n'

/** Requests that need a feature. */
const asks: [feature: Feature, line: string, body?: object][] = [
  ['segments', `GET ${n}/segments`],
  ['segments', `POST ${n}/scan`, { segments: [0] }],
  ['segments', `POST ${n}/query`, { segments: [0] }],
  ['segments', `POST ${n}/sets`, { name: 'routed', distributionBin: 'city' }],
  ['limits', `PATCH ${n}/sets/s`, { limits: { maxRecords: 1000 } }],
  ['limits', `PATCH ${n}`, { evictAtPercent: 50 }],
]

beforeAll(async () => {
  await gateway().newNamespace('n')
  await gateway().put('n/sets/s/records/k', { n: 1 })
})

test('what an engine lacks is told', async () => {
  expect(Object.keys(differences)).toContain(storage.engine)
  const { capabilities } = await gateway().ok<{ capabilities: { missing: string[] } }>(`GET ${n}`)
  expect(capabilities).toMatchObject({ counts })
  expect(capabilities.missing.toSorted()).toEqual(lacking.toSorted())
})

test.each(asks)('%s: %s is refused by that name, or done', async (feature, line, body) => {
  const answer = await gateway().send(line, body === undefined ? {} : { body })
  const lacks = lacking.includes(feature)
  const isRefused = answer.status === 501 && answer.json<{ code?: string }>().code === 'capability_unsupported'
  expect({ isDone: answer.status < 300, isRefused }, answer.text).toEqual({ isDone: !lacks, isRefused: lacks })
})
