// Namespaces on a Cassandra cluster, as far as no cluster is needed: settings, refusals, one that does not answer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

const folder = mkdtempSync(join(tmpdir(), 'tessera-clusters-'))
const clustersFile = join(folder, 'clusters.json')
const password = 'do-not-show-this'
const ca = join(folder, 'ca.pem')
writeFileSync(ca, password)
writeFileSync(
  clustersFile,
  JSON.stringify({
    away: { contactPoints: ['127.0.0.1:1'], user: 'u', password },
    garbled: { contactPoints: ['127.0.0.1:1'], tls: { ca } },
    halved: { contactPoints: ['127.0.0.1:1'], password },
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

const far = (cluster?: object, storage: object = {}, more: object = {}) => ({
  body: {
    name: 'far',
    storage: { engine: 'cassandra', ...(cluster !== undefined && { cluster }), ...storage },
    ...more,
  },
})
const path = 'POST /api/v1/namespaces'

describe('a server that knows clusters', () => {
  const gateway = useGateway({ clustersFile })

  test.each([
    ['no cluster', far(), 400, 'config_invalid', 'cluster'],
    ['another name', far({ name: 'prod' }), 400, 'config_invalid', 'cluster.name'],
    ['a bad data centre', far({ name: 'away', dataCentre: "a'b" }), 400, 'config_invalid', 'cluster.dataCentre'],
    ['no copies', far({ name: 'away', replication: {} }), 400, 'config_invalid', 'cluster.replication'],
    [
      'speculation at once',
      far({ name: 'away', speculation: { afterMs: 0, most: 1 } }),
      400,
      'field_invalid',
      'storage.cluster.speculation.afterMs',
    ],
    ['a setting of disks', far({ name: 'away' }, { capacityBytes: 1 }), 400, 'config_invalid', 'capacityBytes'],
    ['a durability', far({ name: 'away' }, {}, { durability: 'commit' }), 400, 'config_invalid', 'durability'],
    ['eviction', far({ name: 'away' }, {}, { evictAtPercent: 5 }), 501, 'capability_unsupported', 'evictAtPercent'],
    [
      'owners',
      far({ name: 'away' }, {}, { ownership: { nodes: 2, owners: 1, self: 0 } }),
      501,
      'capability_unsupported',
      'ownership',
    ],
  ])('%s is refused, and the field is named', async (_, options, status, code, field) => {
    const answer = await gateway().send(path, options)
    expect([answer.status, answer.json()], answer.text).toMatchObject([status, { code, field }])
  })

  test.each([
    ['an unknown field', far({ name: 'away', password }), 'field_unknown'],
    ['a consistency that reads have not', far({ name: 'away', reads: 'each_quorum' }), 'field_invalid'],
    ['too short a timeout', far({ name: 'away', timeoutMs: 99 }), 'field_invalid'],
    ['no name', far({}), 'field_missing'],
  ])('%s is refused by the schema', async (_, options, code) => {
    const answer = await gateway().send(path, options)
    expect([answer.status, answer.json()['code']]).toEqual([400, code])
  })

  test('its clusters are listed, without a secret', async () => {
    const answer = await gateway().send('GET /api/v1/clusters')
    const none = { contactPoints: ['127.0.0.1:1'], namespaces: [], dataCentres: [] }
    expect(answer.json()).toEqual({
      configured: true,
      items: [
        { ...none, name: 'away', encrypted: false },
        { ...none, name: 'garbled', encrypted: true },
        {
          ...none,
          name: 'halved',
          encrypted: false,
          problem: expect.stringContaining('both user and password') as string,
        },
      ],
    })
    expect(answer.text).not.toContain(password)
  })

  test('a cluster for another engine is refused', async () => {
    const answer = await gateway().send(path, {
      body: { name: 'a', storage: { engine: 'memory', cluster: { name: 'away' } } },
    })
    expect([answer.status, answer.json()['code']]).toEqual([400, 'config_invalid'])
  })

  test('a certificate that is none is named, and not shown', async () => {
    const answer = await gateway().send(path, far({ name: 'garbled' }))
    expect([answer.status, answer.json()['code']], answer.text).toEqual([400, 'config_invalid'])
    expect(answer.text).toContain(ca)
    expect(answer.text).not.toContain(password)
  })

  test('one that does not answer is unavailable, and nothing is left of the try', async () => {
    const answer = await gateway().send(path, far({ name: 'away', connectTimeoutMs: 500 }))
    expect([answer.status, answer.json()['code']], answer.text).toEqual([503, 'cluster_unavailable'])
    expect(answer.headers['retry-after']).toBeDefined()
    expect(answer.text).not.toContain(password)
    expect(await gateway().ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
    expect(await readdir(join(gateway().directory, 'namespaces'))).toEqual([])
    await gateway().memoryNamespace('far')
  })

  test('what is no capability is told of the others too', async () => {
    const namespace = await gateway().ok('GET /api/v1/namespaces/far')
    expect(namespace).toMatchObject({ records: 0, sets: 0, capabilities: { missing: [], setIndex: true } })
    expect(namespace).not.toHaveProperty('cluster')
    const view = await gateway().send('GET /api/v1/namespaces/far/cluster')
    expect([view.status, view.json()['code']]).toEqual([501, 'unsupported'])
    const none = await gateway().send('GET /api/v1/namespaces/nobody/cluster')
    expect([none.status, none.json()['code']]).toEqual([404, 'namespace_not_found'])
  })
})

describe('a server with a file that cannot be read', () => {
  const file = join(folder, 'broken.json')
  const gateway = useGateway({ clustersFile: file })

  test('says so, and lists what is there once it can be', async () => {
    const problem = async () => (await gateway().ok('GET /api/v1/clusters'))['problem']
    expect(await problem()).toContain('cannot be read')
    writeFileSync(file, `{"away":{"contactPoints":["127.0.0.1:1"],"password":${password}}}`)
    const broken = await gateway().send('GET /api/v1/clusters')
    expect(broken.json()).toMatchObject({ configured: true, items: [] })
    expect(broken.text).toContain('at line 1')
    expect(broken.text).not.toContain(password)
    writeFileSync(file, '{}')
    expect(await gateway().ok('GET /api/v1/clusters')).toEqual({ configured: true, items: [] })
  })
})

describe('a server that knows none', () => {
  const gateway = useGateway()

  test('lists none', async () => {
    expect(await gateway().ok('GET /api/v1/clusters')).toEqual({ configured: false, items: [] })
  })

  test('says who describes them', async () => {
    const answer = await gateway().send(path, far({ name: 'prod' }))
    expect([answer.status, answer.json()['code']]).toEqual([400, 'config_invalid'])
    expect(answer.text).toContain('TESSERA_CLUSTERS')
  })
})
