// A truncation can be undone until its time is up: over HTTP.
import { describe, expect, test, vi } from 'vitest'
import { type Gateway, useGateway } from '../gateway.js'

interface Job {
  id: string
  state: string
  parameters: { undoUntil?: string }
  result?: { records: number }
}

const engines = ['memory', 'device', 'paged'] as const
const nothing = { items: [] }

async function fill({ ok }: Gateway, name: string, storage: object): Promise<void> {
  await ok('POST /api/v1/namespaces', { body: { name, storage, segments: 16 } })
  for (const key of [1, 2, 3]) await ok(`PUT /api/v1/namespaces/${name}/sets/s/records/${key}`, { body: { n: key } })
  await ok(`PUT /api/v1/namespaces/${name}/sets/other/records/1`, { body: { n: 1 } })
}

const truncate = ({ ok }: Gateway, name: string, query = ''): Promise<Job> =>
  ok<Job>(`DELETE /api/v1/namespaces/${name}/sets/s?wait=10s${query}`)

const sizes = async ({ ok }: Gateway, name: string): Promise<number[]> => {
  const [all, set] = await Promise.all(
    ['', '?set=s'].map((query) => ok<{ records: number }>(`GET /api/v1/namespaces/${name}/size${query}`)),
  )
  return [all?.records ?? -1, set?.records ?? -1]
}

describe('a truncation', () => {
  const gateway = useGateway()

  test.each(engines)('in a namespace of the engine %s is undone', async (engine) => {
    const { ok, send } = gateway()
    await fill(gateway(), engine, { engine })
    const line = `/api/v1/namespaces/${engine}`
    expect(await ok(`DELETE ${line}/sets/s?dryRun=true`)).toMatchObject({ records: 3, undoable: true })
    const before = Date.now()
    const { id, state, parameters, result } = await truncate(gateway(), engine)
    expect([state, result]).toEqual(['done', { records: 3 }])
    expect(Date.parse(parameters.undoUntil ?? '')).toBeGreaterThanOrEqual(before + 600_000)
    expect(await sizes(gateway(), engine)).toEqual([1, 0])
    expect((await send(`GET ${line}/sets/s/records/1`)).status).toBe(404)
    const listed = { id, set: 's', records: 3, until: parameters.undoUntil }
    expect(await ok(`GET ${line}/truncations`)).toMatchObject({ items: [listed] })
    await ok(`PUT ${line}/sets/s/records/2`, { body: { n: 20 } })

    const undo = () =>
      ok<Job>(`POST ${line}/truncations/${id}/undo?wait=10s`, { headers: { 'idempotency-key': `undo-${engine}` } })
    const undone = await undo()
    expect([undone.state, undone.result]).toEqual(['done', { records: 2 }])
    expect(await undo()).toEqual(undone)
    expect(await sizes(gateway(), engine)).toEqual([4, 3])
    expect(await ok(`GET ${line}/sets/s/records/2`)).toMatchObject({ bins: { n: 20 } })
    expect(await ok(`GET ${line}/sets/s/records/3`)).toMatchObject({ bins: { n: 3 } })
    expect(await ok(`GET ${line}/truncations`)).toMatchObject(nothing)
    expect((await send(`POST ${line}/truncations/${id}/undo`)).json()).toMatchObject({ code: 'truncation_not_found' })
    expect(await ok(`GET ${line}`)).toMatchObject({ capabilities: { undoTruncate: true } })
  })

  test('for good cannot be undone', async () => {
    const { ok } = gateway()
    await fill(gateway(), 'good', { engine: 'memory' })
    expect(await ok('DELETE /api/v1/namespaces/good/sets/s?dryRun=true&forGood=true')).toMatchObject({
      undoable: false,
    })
    expect(await truncate(gateway(), 'good', '&forGood=true')).toMatchObject({ parameters: { before: null } })
    const body = { kind: 'truncate', namespace: 'good', forGood: true }
    expect(await ok<Job>('POST /api/v1/jobs', { body })).not.toHaveProperty('parameters.undoUntil')
    expect(await ok('GET /api/v1/namespaces/good/truncations')).toMatchObject(nothing)
    expect(await sizes(gateway(), 'good')).toEqual([0, 0])
  })

  test('tells the moment before which it hides records', async () => {
    const { ok } = gateway()
    await fill(gateway(), 'early', { engine: 'memory' })
    const { updatedAt } = await ok<{ updatedAt: string }>('GET /api/v1/namespaces/early/sets/s/records/3')
    // Later than all records: each is hidden.
    const later = new Date(Date.parse(updatedAt) + 1).toISOString()
    await truncate(gateway(), 'early', `&before=${later}`)
    expect(await ok('GET /api/v1/namespaces/early/truncations')).toMatchObject({
      items: [{ before: later, records: 3 }],
    })
  })

  test('of a namespace is final for whoever names it', async () => {
    const { ok, send } = gateway()
    await fill(gateway(), 'final', { engine: 'device' })
    const { id } = await ok<Job>('POST /api/v1/jobs?wait=10s', { body: { kind: 'truncate', namespace: 'final' } })
    const line = `/api/v1/namespaces/final/truncations/${id}`
    const refused = await send(`DELETE ${line}`)
    expect([refused.status, refused.json()]).toMatchObject([428, { code: 'confirm_required', field: 'x-confirm' }])
    const removed = await ok<Job>(`DELETE ${line}?wait=10s`, { headers: { 'x-confirm': 'final' } })
    expect([removed.state, removed.result]).toEqual(['done', { records: 4 }])
    for (const again of [`DELETE ${line}`, `POST ${line}/undo`])
      expect((await send(again)).json(), again).toMatchObject({ code: 'truncation_not_found', status: 404 })
  })

  test('that can be undone keeps a namespace from a migration', async () => {
    const { ok, send } = gateway()
    await fill(gateway(), 'moves', { engine: 'memory' })
    const { id } = await truncate(gateway(), 'moves')
    const body = { storage: { engine: 'paged' } }
    const refused = await send('POST /api/v1/namespaces/moves/migrate', { body })
    expect([refused.status, refused.json()]).toMatchObject([409, { code: 'truncation_undoable' }])
    expect(await ok(`POST /api/v1/namespaces/moves/truncations/${id}/undo?wait=10s`)).toMatchObject({ state: 'done' })
  })

  test.each([
    ['GET /api/v1/namespaces/none/truncations', undefined, 'namespace_not_found'],
    ['GET /api/v1/namespaces/good/truncations?limit=0', undefined, 'field_invalid'],
    ['POST /api/v1/namespaces/good/truncations/none/undo', undefined, 'truncation_not_found'],
    ['POST /api/v1/namespaces/good/truncations/none/undo', { to: 'x' }, 'field_unknown'],
    ['POST /api/v1/namespaces/good/truncations/none/undo?force=true', undefined, 'field_unknown'],
    ['DELETE /api/v1/namespaces/good/truncations/none?forGood=true', undefined, 'field_unknown'],
    ['DELETE /api/v1/namespaces/good/sets/s?forGood=yes', undefined, 'field_invalid'],
    ['POST /api/v1/jobs', { kind: 'scrub', namespace: 'good', forGood: true }, 'field_unknown'],
  ])('%s %j answers %s', async (line, body, code) => {
    const answer = await gateway().send(line, body === undefined ? {} : { body })
    expect(answer.json()).toMatchObject({ code })
  })
})

describe('with a short time', () => {
  const gateway = useGateway({ undoMs: 1 })

  test('the engine makes it final by itself', async () => {
    await fill(gateway(), 'brief', { engine: 'device' })
    await truncate(gateway(), 'brief')
    const listed = () => gateway().ok('GET /api/v1/namespaces/brief/truncations')
    await vi.waitFor(async () => expect(await listed()).toMatchObject(nothing), { timeout: 30_000 })
    expect(await sizes(gateway(), 'brief')).toEqual([1, 0])
  })
})

describe('without a time', () => {
  const gateway = useGateway({ undoMs: 0 })

  test('it is for good', async () => {
    await fill(gateway(), 'now', { engine: 'memory' })
    expect(await gateway().ok('DELETE /api/v1/namespaces/now/sets/s?dryRun=true')).toMatchObject({ undoable: false })
    expect(await truncate(gateway(), 'now')).not.toHaveProperty('parameters.undoUntil')
    expect(await gateway().ok('GET /api/v1/namespaces/now/truncations')).toMatchObject(nothing)
  })
})
