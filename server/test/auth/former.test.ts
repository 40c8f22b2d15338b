// A namespace is dropped, and another one gets its name: whoever is granted that one sees nothing that is kept of the former.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type SendOptions, useGateway } from '../gateway.js'

const SECRET = 'zz-secret'
const EMPTY = '{"items":[],'

/** Lists that have entries of namespaces, as the path and what an administrator finds there. */
const LISTS = [
  'jobs',
  'workloads',
  'queries',
  'queries/history',
  'slow',
  'slow?sort=slowest',
  'alerts/rules',
  'alerts/events',
  'slow?group=shape',
  'jobs?namespace=mine',
  'queries?namespace=mine',
  'slow?namespace=mine',
]

interface Entry {
  ruleId?: string
  former?: boolean
  namespaceId?: string
}

const rows = Array.from({ length: 10_000 }, (_, row) => `{"key":"k${row}","a":"${SECRET}"}\n`).join('')

describe('what a former namespace left under its name', () => {
  const gateway = useGateway({ undoMs: 3_600_000 })
  let token = ''
  let former = ''
  let restorable = ''
  const ids: Record<'job' | 'workload' | 'query' | 'rule', string> = { job: '', workload: '', query: '', rule: '' }

  const as = (more: SendOptions = {}): SendOptions => ({
    ...more,
    headers: { ...more.headers, authorization: `Bearer ${token}` },
  })
  const entriesOf = async (list: string, options?: SendOptions): Promise<Entry[]> => {
    const { items, groups = [] } = await gateway().ok<{ items: Entry[]; groups?: Entry[] }>(
      `GET /api/v1/${list}`,
      options,
    )
    return [...items, ...groups]
  }

  beforeAll(async () => {
    const { ok, app } = gateway()
    await gateway().memoryNamespace('mine')
    const rule = {
      name: `${SECRET} rule`,
      severity: 'warning',
      namespace: 'mine',
      threshold: { metric: 'namespace.usedPercent', when: 'above', value: 90, forSeconds: 60 },
    }
    const grants = [{ role: 'operator', namespace: 'mine' }]
    ;({ token } = await ok<{ token: string }>('POST /api/v1/tokens', { body: { name: 'mine', grants } }))
    ;({ id: former } = await ok<{ id: string }>('GET /api/v1/namespaces/mine'))
    await ok('PATCH /api/v1/slow/settings', { body: { thresholdMs: 0.1 } })
    ;({ jobId: ids.job } = await ok<{ jobId: string }>(`POST /api/v1/namespaces/mine/import?set=${SECRET}`, {
      body: `${rows}{"key":"bad"`,
      headers: { 'content-type': 'application/x-ndjson' },
    }))
    await ok('POST /api/v1/namespaces/mine/query', { body: { set: SECRET } })
    await ok('POST /api/v1/jobs?wait=20s', { body: { kind: 'count', namespace: 'mine', set: SECRET } })
    expect((await gateway().send('GET /api/v1/namespaces/mine/export')).status).toBe(200)
    const run = { namespace: 'mine', set: SECRET, keys: 10, operations: 10 }
    ;({ id: ids.workload } = await ok<{ id: string }>('POST /api/v1/workloads?wait=20s', { body: run }))
    const saved = { name: SECRET, namespace: 'mine', request: '{}' }
    ;({ id: ids.query } = await ok<{ id: string }>('POST /api/v1/queries', { body: saved }))
    const at = new Date().toISOString()
    app.queries.history.add({
      id: 'ran',
      at,
      namespace: 'mine',
      namespaceId: former,
      request: `{"set":"${SECRET}"}`,
      ms: 1,
    })
    ;({ id: ids.rule } = await ok<{ id: string }>('POST /api/v1/alerts/rules', { body: rule }))
    const watched = async () => expect((await entriesOf('alerts')).map(({ ruleId }) => ruleId)).toContain(ids.rule)
    await vi.waitFor(watched, { timeout: 20_000 })
    await ok(`POST /api/v1/alerts/rules/${ids.rule}/test`)
    await ok('PUT /api/v1/namespaces/mine/backup-schedule', { body: { everyHours: 744 } })
    expect((await gateway().send(`GET /api/v1/jobs/${ids.job}/rejects`, as())).status).toBe(200)
    for (const list of LISTS) expect(await entriesOf(list, as()), list).not.toEqual([])
    const dropped = await ok<{ restorable: { id: string } }>('DELETE /api/v1/namespaces/mine')
    restorable = dropped.restorable.id
    await gateway().memoryNamespace('mine')
  })

  test('is not the new one, which has an id of its own', async () => {
    const now = await gateway().ok<{ id: string }>('GET /api/v1/namespaces/mine', as())
    expect(former).toMatch(/^[0-9a-f]{32}$/)
    expect(now.id).toMatch(/^[0-9a-f]{32}$/)
    expect(now.id).not.toBe(former)
    expect(await gateway().ok('GET /api/v1/dropped')).toMatchObject({ items: [{ namespaceId: former }] })
  })

  test.each(LISTS)('is not in the list %s of who is granted the new one', async (list) => {
    const { text } = await gateway().send(`GET /api/v1/${list}`, as())
    expect(text).not.toContain(SECRET)
    expect(text).toContain(EMPTY)
    expect((await entriesOf(list, as())).length).toBe(0)
  })

  test.each(['alerts', 'backup-schedules', 'status', 'metrics/history?from=-1h', 'audit'])(
    'is not in %s',
    async (page) => {
      expect((await gateway().send(`GET /api/v1/${page}`, as())).text).not.toContain(SECRET)
    },
  )

  test('is found by nobody else by its id', async () => {
    const paths = [
      `GET /api/v1/jobs/${ids.job}`,
      `GET /api/v1/jobs/${ids.job}/rejects`,
      `DELETE /api/v1/jobs/${ids.job}`,
      `GET /api/v1/imports/${ids.job}`,
      `GET /api/v1/workloads/${ids.workload}`,
      `GET /api/v1/workloads/${ids.workload}/latency`,
      `DELETE /api/v1/workloads/${ids.workload}`,
      `GET /api/v1/queries/${ids.query}`,
      `DELETE /api/v1/queries/${ids.query}`,
      `GET /api/v1/alerts/rules/${ids.rule}`,
      `DELETE /api/v1/alerts/rules/${ids.rule}`,
      'GET /api/v1/namespaces/mine/backup-schedule',
    ]
    for (const path of paths) expect([path, (await gateway().send(path, as())).status]).toEqual([path, 404])
  })

  test.each(LISTS)('is marked in the list %s of an administrator', async (list) => {
    const all = await entriesOf(list)
    expect(all.filter((entry) => entry.namespaceId === former)).not.toEqual([])
    for (const { namespaceId, former: isFormer } of all.filter((entry) => entry.namespaceId !== undefined))
      expect(isFormer === true).toBe(namespaceId === former)
  })

  test('takes no name of the new one: a query can be saved as what the former one had', async () => {
    const body = { name: SECRET, namespace: 'mine', request: '{}' }
    const { id } = await gateway().ok<{ id: string }>('POST /api/v1/queries', as({ body }))
    expect((await gateway().send('POST /api/v1/queries', as({ body }))).status).toBe(409)
    await gateway().ok(`DELETE /api/v1/queries/${id}`, as())
  })

  test('is there again when the drop is taken back', async () => {
    await gateway().ok('DELETE /api/v1/namespaces/mine?forGood=true')
    expect(await gateway().ok(`POST /api/v1/dropped/${restorable}/restore`)).toMatchObject({ id: former })
    for (const list of LISTS) {
      const own = (await entriesOf(list, as())).filter(({ namespaceId }) => namespaceId === former)
      expect(own, list).not.toEqual([])
      expect(own.filter((entry) => entry.former === true)).toEqual([])
    }
    expect(await gateway().ok(`GET /api/v1/jobs/${ids.job}`, as())).not.toHaveProperty('former')
  })
})
