// A drop can be undone until its time is up: over HTTP.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { type Gateway, useGateway } from '../gateway.js'

interface Report {
  records: number
  restorable?: { id: string; until: string }
}

const engines = ['memory', 'device', 'paged'] as const

async function fill({ ok }: Gateway, name: string, storage: object): Promise<void> {
  await ok('POST /api/v1/namespaces', { body: { name, storage, segments: 16 } })
  for (const key of [1, 2, 3]) await ok(`PUT /api/v1/namespaces/${name}/sets/s/records/${key}`, { body: { n: key } })
}

describe('a dropped namespace', () => {
  const gateway = useGateway()

  test.each(engines)('of the engine %s is restored with its records', async (engine) => {
    const { ok, send } = gateway()
    await fill(gateway(), engine, { engine })
    const before = Date.now()
    const { records, restorable } = await ok<Report>(`DELETE /api/v1/namespaces/${engine}`)
    expect([records, restorable]).toEqual([3, { id: expect.any(String), until: expect.any(String) }])
    const id = restorable?.id ?? ''
    expect(Date.parse(restorable?.until ?? '')).toBeGreaterThanOrEqual(before + 600_000)
    expect((await send(`GET /api/v1/namespaces/${engine}`)).status).toBe(404)
    const shown = await ok<{ memoryBytes: number; diskBytes: number }>(`GET /api/v1/dropped/${id}`)
    expect(shown).toMatchObject({ id, name: engine, records: 3, config: { storage: { engine } } })
    expect([shown.memoryBytes > 0, shown.diskBytes > 0]).toEqual([engine === 'memory', engine !== 'memory'])
    expect(await ok('GET /api/v1/dropped')).toMatchObject({ items: [{ id }] })

    // Its name is free, and then taken.
    await ok('POST /api/v1/namespaces', { body: { name: engine, storage: { engine: 'memory' } } })
    const taken = await send(`POST /api/v1/dropped/${id}/restore`)
    expect([taken.status, taken.json()['code']]).toEqual([409, 'namespace_exists'])
    await ok(`DELETE /api/v1/namespaces/${engine}?forGood=true`)
    expect(await ok(`POST /api/v1/dropped/${id}/restore`)).toMatchObject({ name: engine, state: 'ready', records: 3 })
    expect(await ok(`GET /api/v1/namespaces/${engine}/sets/s/records/2`)).toMatchObject({ bins: { n: 2 } })
    expect(await ok('GET /api/v1/dropped')).toMatchObject({ items: [] })
  })

  test('gets another name if its own is taken, unless memory has its records', async () => {
    const { ok, send } = gateway()
    await fill(gateway(), 'disk', { engine: 'device' })
    await fill(gateway(), 'ram', { engine: 'memory' })
    const [disk, ram] = await Promise.all(
      ['disk', 'ram'].map((name) => ok<Report>(`DELETE /api/v1/namespaces/${name}`)),
    )
    const refused = await send(`POST /api/v1/dropped/${ram?.restorable?.id}/restore`, { body: { name: 'other' } })
    expect([refused.status, refused.json()]).toMatchObject([501, { code: 'capability_unsupported', field: 'name' }])
    const back = await ok(`POST /api/v1/dropped/${disk?.restorable?.id}/restore`, { body: { name: 'disk-2' } })
    expect(back).toMatchObject({ name: 'disk-2', records: 3 })
    await ok(`POST /api/v1/dropped/${ram?.restorable?.id}/restore`)
  })

  test('is deleted for good by whoever names it, and not by a dry run', async () => {
    const { ok, send } = gateway()
    await fill(gateway(), 'gone', { engine: 'device' })
    const { restorable } = await ok<Report>('DELETE /api/v1/namespaces/gone')
    const line = `/api/v1/dropped/${restorable?.id}`
    const folder = join(gateway().directory, 'namespaces', restorable?.id ?? '')
    expect(await ok(`DELETE ${line}?dryRun=true`)).toMatchObject({ records: 3 })
    const refused = await send(`DELETE ${line}`)
    expect([refused.status, refused.json()]).toMatchObject([428, { code: 'confirm_required', field: 'x-confirm' }])
    expect(existsSync(folder)).toBe(true)
    await ok(`DELETE ${line}`, { headers: { 'x-confirm': 'gone' } })
    expect(existsSync(folder)).toBe(false)
    for (const again of [`GET ${line}`, `DELETE ${line}`, `POST ${line}/restore`])
      expect((await send(again)).json(), again).toMatchObject({ code: 'dropped_not_found', status: 404 })
  })

  test.each([
    ['GET /api/v1/dropped/none', undefined, 'dropped_not_found'],
    ['GET /api/v1/dropped/007', undefined, 'dropped_not_found'],
    ['POST /api/v1/dropped/99/restore', { name: 'no/name' }, 'name_invalid'],
    ['POST /api/v1/dropped/99/restore', { to: 'x' }, 'field_unknown'],
    ['DELETE /api/v1/dropped/99?forGood=true', undefined, 'field_unknown'],
    ['DELETE /api/v1/namespaces/x?forGood=yes', undefined, 'field_invalid'],
    ['DELETE /api/v1/namespaces/x?forgood=true', undefined, 'field_unknown'],
  ])('%s %j answers %s', async (line, body, code) => {
    const answer = await gateway().send(line, body === undefined ? {} : { body })
    expect(answer.json()).toMatchObject({ code })
  })
})

describe('devices', () => {
  const disks = mkdtempSync(join(tmpdir(), 'tessera-disks-'))
  afterAll(() => rmSync(disks, { recursive: true }))
  const gateway = useGateway({ devicePaths: [disks] })

  test('of a dropped namespace are held until it is deleted', async () => {
    const { ok, send } = gateway()
    const devices = [{ path: join(disks, 'd0'), capacityBytes: 16 * 1024 * 1024 }]
    const body = { name: 'wide', storage: { engine: 'device', devices }, segments: 16 }
    await ok('POST /api/v1/namespaces', { body })
    const { restorable } = await ok<Report>('DELETE /api/v1/namespaces/wide')
    const held = await send('POST /api/v1/namespaces', { body })
    expect([held.status, held.json()]).toMatchObject([409, { code: 'device_held', field: 'devices.0.path' }])
    await ok(`DELETE /api/v1/dropped/${restorable?.id}`, { headers: { 'x-confirm': 'wide' } })
    await ok('POST /api/v1/namespaces', { body })
  })
})

describe('with a short time', () => {
  const gateway = useGateway({ undoMs: 1 })

  test('the engine removes it by itself', async () => {
    await fill(gateway(), 'brief', { engine: 'device' })
    const { restorable } = await gateway().ok<Report>('DELETE /api/v1/namespaces/brief')
    const folder = join(gateway().directory, 'namespaces', restorable?.id ?? '')
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 30_000 })
    expect(await gateway().ok('GET /api/v1/dropped')).toMatchObject({ items: [] })
  })
})

describe('without a time', () => {
  const gateway = useGateway({ undoMs: 0 })

  test('a drop is for good', async () => {
    await fill(gateway(), 'now', { engine: 'paged' })
    expect(await gateway().ok<Report>('DELETE /api/v1/namespaces/now')).not.toHaveProperty('restorable')
    expect(existsSync(join(gateway().directory, 'namespaces/1'))).toBe(false)
  })
})
