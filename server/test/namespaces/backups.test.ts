// Backups through the API: full, incremental, verified, restored; what is refused; damage; a restart.
import { readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import type { Backup } from '../../src/schemas/namespaces/backups.js'
import type { Gateway } from '../gateway.js'
import { useGateway } from '../gateway.js'

const NS = '/api/v1/namespaces'
const BACKUPS = '/api/v1/backups'
const RECORDS = 40
const GONE = '20200101T000000Z-00000000'

async function filled(gateway: Gateway, name: string): Promise<void> {
  await gateway.ok(`POST ${NS}`, { body: { name, storage: { engine: 'memory' }, segments: 4 } })
  for (let key = 0; key < RECORDS; key += 1) await gateway.put(`${name}/sets/s/records/${key}`, { n: key })
}

/** The calls of backups, each waiting for its job. */
const calls = ({ ok, send }: Gateway) => ({
  backUp: async (name: string, body: object = {}) => {
    const job = await ok<Job>(`POST ${NS}/${name}/backups?wait=60s`, { body })
    expect(job).toMatchObject({ kind: 'backup', state: 'done', namespace: name })
    return String(job.parameters['backup'])
  },
  restore: (id: string, body: object) => ok<Job>(`POST ${BACKUPS}/${id}/restore?wait=60s`, { body }),
  verify: (id: string) => ok<Job>(`POST ${BACKUPS}/${id}/verify?wait=60s`),
  show: (id: string) => ok<Backup>(`GET ${BACKUPS}/${id}`),
  list: async () => (await ok<{ items: Backup[] }>(`GET ${BACKUPS}`)).items,
  exported: async (name: string) => (await send(`GET ${NS}/${name}/export?order=key`)).text.split('\n').sort(),
  /** Status and code of a refusal. */
  refused: async (line: string, body?: object) => {
    const answer = await send(line, body === undefined ? {} : { body })
    return [answer.status, answer.json()['code']]
  },
})

describe('backups', () => {
  const gateway = useGateway()

  test('are made, listed, verified and restored', async () => {
    await filled(gateway(), 'a')
    const { backUp, restore, verify, show, list, refused } = calls(gateway())
    const { ok, send } = gateway()
    const id = await backUp('a', { recordsPerSecond: 1_000_000, threads: 1 })
    const shown = await show(id)
    expect(shown).toMatchObject({
      id,
      state: 'complete',
      namespace: 'a',
      records: RECORDS,
      bodies: RECORDS,
      damaged: 0,
    })
    expect(shown.config).toMatchObject({ storage: { engine: 'memory' }, segments: 4 })
    expect(Date.parse(shown.pointFrom ?? '')).toBeLessThanOrEqual(Date.parse(shown.pointTo ?? ''))
    expect((await list()).map((backup) => backup.id)).toContain(id)
    expect(await verify(id)).toMatchObject({ kind: 'verify', state: 'done', result: { backup: id, backups: 1 } })

    await gateway().put('a/sets/s/records/0', { n: 'new' })
    await ok(`DELETE ${NS}/a/sets/s/records/1`)
    const next = await backUp('a', { base: id })
    expect(await show(next)).toMatchObject({ base: id, records: RECORDS - 1 })
    expect(await verify(next)).toMatchObject({ state: 'done', result: { backups: 2 } })
    expect(await refused(`DELETE ${BACKUPS}/${id}`)).toEqual([409, 'backup_in_use'])

    const paged = { engine: 'paged', pageBytes: 4096, cacheBytes: 8_388_608, checkpointLogBytes: 68_157_440 }
    const job = await restore(next, { namespace: 'b', storage: paged, segments: 8 })
    expect(job).toMatchObject({ kind: 'restore', state: 'done', result: { restored: RECORDS - 1, expired: 0 } })
    const [from, to] = await Promise.all(['a', 'b'].map((name) => send(`GET ${NS}/${name}/sets/s/records/0`)))
    expect(to?.json()).toEqual(from?.json())
    expect(await refused(`GET ${NS}/b/sets/s/records/1`)).toEqual([404, 'record_not_found'])
    expect(await ok(`GET ${NS}/b`)).toMatchObject({ records: RECORDS - 1, config: { storage: paged, segments: 8 } })
  })

  test('are merged into a namespace with records only if that is asked for', async () => {
    await filled(gateway(), 'm')
    const { backUp, restore, refused } = calls(gateway())
    const { ok } = gateway()
    const id = await backUp('m')
    await gateway().put('m/sets/s/records/0', { n: 'new' })
    await gateway().put('m/sets/s/records/more', { n: 1 })
    const at = `POST ${BACKUPS}/${id}/restore`
    expect(await refused(at, { namespace: 'm' })).toEqual([409, 'namespace_not_empty'])
    expect(await refused(at, { namespace: 'm', merge: true, storage: { engine: 'memory' } })).toEqual([
      400,
      'config_invalid',
    ])
    expect(await restore(id, { namespace: 'm', merge: true })).toMatchObject({ state: 'done' })
    expect(await ok(`GET ${NS}/m/sets/s/records/0`)).toMatchObject({ bins: { n: 0 } })
    expect(await ok(`GET ${NS}/m`)).toMatchObject({ records: RECORDS + 1 })
  })

  test('are refused where they cannot be', async () => {
    await filled(gateway(), 'r')
    const { backUp, refused } = calls(gateway())
    const id = await backUp('r')
    expect(await refused(`POST ${NS}/none/backups`)).toEqual([404, 'namespace_not_found'])
    expect(await refused(`POST ${NS}/r/backups`, { base: GONE })).toEqual([404, 'backup_not_found'])
    for (const line of [`GET ${BACKUPS}/${GONE}`, `DELETE ${BACKUPS}/${GONE}`, `POST ${BACKUPS}/${GONE}/verify`])
      expect(await refused(line), line).toEqual([404, 'backup_not_found'])
    expect(await refused(`POST ${BACKUPS}/${GONE}/restore`, { namespace: 'x' })).toEqual([404, 'backup_not_found'])
    expect(await refused(`POST ${BACKUPS}/${id}/resume`)).toEqual([409, 'job_finished'])
    expect(await refused(`POST ${BACKUPS}/${id}/restore`, { namespace: 'x', segments: 8 })).toEqual([
      400,
      'config_invalid',
    ])
    await gateway().ok(`DELETE ${NS}/r`)
    await filled(gateway(), 'r')
    expect(await refused(`POST ${NS}/r/backups`, { base: id })).toEqual([409, 'backup_base_invalid'])
    expect((await gateway().ok<Backup>(`DELETE ${BACKUPS}/${id}`)).id).toBe(id)
    expect(await refused(`GET ${BACKUPS}/${id}`)).toEqual([404, 'backup_not_found'])
  })

  test('that are damaged are named and not restored', async () => {
    await filled(gateway(), 'd')
    const { backUp, restore, verify, show, refused } = calls(gateway())
    const folder = async (id: string) => {
      const path = join(gateway().directory, 'backups', id)
      return { path, files: await readdir(path) }
    }
    const id = await backUp('d')
    const { path, files } = await folder(id)
    const part = files.find((name) => name.endsWith('.part')) ?? ''
    const whole = await readFile(join(path, part))
    await truncate(join(path, part), whole.length - 1)
    for (const job of [await verify(id), await restore(id, { namespace: 'd2' })]) {
      expect(job).toMatchObject({ state: 'failed', error: { code: 'backup_damaged' } })
      expect(job.error?.message).toContain(part)
    }
    expect(await refused(`GET ${NS}/d2`)).toEqual([404, 'namespace_not_found'])

    await rm(join(path, 'manifest.json'))
    expect(await show(id)).toMatchObject({ state: 'unfinished', namespace: 'd' })
    expect(await refused(`POST ${BACKUPS}/${id}/restore`, { namespace: 'd2' })).toEqual([409, 'backup_unfinished'])
    expect(await gateway().ok(`POST ${BACKUPS}/${id}/resume?wait=60s`)).toMatchObject({ kind: 'backup', state: 'done' })
    expect(await restore(id, { namespace: 'd2' })).toMatchObject({ state: 'done', result: { restored: RECORDS } })

    await truncate(join(path, 'plan.json'), 10)
    await truncate(join(path, 'manifest.json'), 10)
    expect(await show(id)).toMatchObject({
      id,
      state: 'damaged',
      problem: expect.stringContaining('manifest.json') as string,
    })
    expect(await refused(`POST ${BACKUPS}/${id}/verify`)).toEqual([422, 'backup_damaged'])
    expect(await gateway().ok(`DELETE ${BACKUPS}/${id}`)).toMatchObject({ id, state: 'damaged' })
  })

  test('that are aborted leave nothing, or can be resumed', async () => {
    await filled(gateway(), 'x')
    const { backUp, show, refused } = calls(gateway())
    const { ok } = gateway()
    const slow = await ok<Job>(`POST ${NS}/x/backups`, { body: { recordsPerSecond: 1 } })
    const id = String(slow.parameters['backup'])
    expect(await refused(`POST ${NS}/x/backups`)).toEqual([409, 'backup_in_use'])
    expect(await refused(`DELETE ${BACKUPS}/${id}`)).toEqual([409, 'backup_in_use'])
    await ok(`DELETE /api/v1/jobs/${slow.id}`)
    expect(await ok(`GET /api/v1/jobs/${slow.id}?wait=60s`)).toMatchObject({ state: 'aborted' })
    expect(await show(id)).toMatchObject({ state: 'unfinished' })
    expect(await ok(`POST ${BACKUPS}/${id}/resume?wait=60s`)).toMatchObject({ state: 'done' })

    const full = await backUp('x')
    const restoring = await ok<Job>(`POST ${BACKUPS}/${full}/restore`, {
      body: { namespace: 'y', recordsPerSecond: 1 },
    })
    expect(await refused(`DELETE ${BACKUPS}/${full}`)).toEqual([409, 'backup_in_use'])
    await ok(`DELETE /api/v1/jobs/${restoring.id}`)
    expect(await ok(`GET /api/v1/jobs/${restoring.id}?wait=60s`)).toMatchObject({ state: 'aborted' })
    expect(await refused(`GET ${NS}/y`)).toEqual([404, 'namespace_not_found'])
    expect(await ok(`GET /api/v1/orphans`)).toMatchObject({ items: [] })
  })
})
