// Migrations through the API: there, back, to the end; what is refused on the way; a restart.
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import type { Migration } from '../../src/schemas/namespaces/migrations.js'
import type { Gateway } from '../gateway.js'
import { useGateway } from '../gateway.js'

const NS = '/api/v1/namespaces'
const RECORDS = 40
const paged = { engine: 'paged', pageBytes: 4096, cacheBytes: 8_388_608, checkpointLogBytes: 68_157_440 }

/** A namespace with records, and the calls of its migration. */
async function begun(gateway: Gateway, name: string, storage: object = { engine: 'memory' }) {
  const { ok, send } = gateway
  await ok(`POST ${NS}`, { body: { name, storage, segments: 4 } })
  for (let key = 0; key < RECORDS; key += 1) await gateway.put(`${name}/sets/s/records/${key}`, { n: key })
  const at = `${NS}/${name}/migration`
  return {
    at,
    migrate: (body: object, wait = '60s') => ok<Job>(`POST ${NS}/${name}/migrate?wait=${wait}`, { body }),
    step: (step: string) => ok<Migration>(`POST ${at}/${step}`),
    /** Status and code of a refusal. */
    refused: async (line: string, body?: object) => {
      const answer = await send(line, body === undefined ? {} : { body })
      return [answer.status, answer.json()['code']]
    },
    show: () => ok<Migration>(`GET ${at}`),
    shown: () => ok<{ config: { storage: { engine: string } }; migration?: object }>(`GET ${NS}/${name}`),
    read: (key: number) => ok<{ bins: object }>(`GET ${NS}/${name}/sets/s/records/${key}`),
  }
}

describe('migrations', () => {
  const gateway = useGateway()

  test('go there, back, there again and to the end', async () => {
    const { ok, directory } = gateway()
    const { at, migrate, step, refused, show, shown, read } = await begun(gateway(), 'n')
    const folders = () => readdir(join(directory, 'namespaces'))
    const job = await migrate({ storage: paged, segments: 8, recordsPerSecond: 1_000_000 })
    expect(job).toMatchObject({
      kind: 'migrate',
      state: 'done',
      namespace: 'n',
      result: { copied: RECORDS, compared: 2 * RECORDS, repaired: 0 },
    })
    expect(await show()).toMatchObject({
      namespace: 'n',
      phase: 'doubled',
      cutOver: false,
      source: { config: { storage: { engine: 'memory' }, segments: 4 }, records: RECORDS },
      target: { config: { storage: paged, segments: 8, durability: 'commit' }, records: RECORDS },
      copied: RECORDS,
      compared: 2 * RECORDS,
      repaired: 0,
      jobId: job.id,
    })
    expect(await shown()).toMatchObject({
      config: { storage: { engine: 'memory' } },
      migration: { phase: 'doubled', cutOver: false },
    })
    await gateway().put('n/sets/s/records/0', { n: 'before' })
    expect(await refused(`POST ${at}/finish`)).toEqual([409, 'migration_not_ready'])
    expect(await refused(`POST ${at}/roll-back`)).toEqual([409, 'migration_not_ready'])

    expect(await step('cut-over')).toMatchObject({ cutOver: true, target: { records: RECORDS } })
    expect(await refused(`POST ${at}/cut-over`)).toEqual([409, 'migration_not_ready'])
    expect(await refused(`POST ${at}/abandon`)).toEqual([409, 'migration_not_ready'])
    expect(await shown()).toMatchObject({ config: { storage: paged, segments: 8 }, migration: { cutOver: true } })
    expect(await read(0)).toMatchObject({ bins: { n: 'before' } })
    await gateway().put('n/sets/s/records/1', { n: 'after' })

    expect(await step('roll-back')).toMatchObject({ cutOver: false })
    expect(await refused(`POST ${at}/roll-back`)).toEqual([409, 'migration_not_ready'])
    expect([await read(0), await read(1)]).toMatchObject([{ bins: { n: 'before' } }, { bins: { n: 'after' } }])

    await step('cut-over')
    expect(await folders()).toHaveLength(2)
    const finished = await step('finish')
    expect(finished).toMatchObject({ name: 'n', config: { storage: paged } })
    expect(finished).not.toHaveProperty('migration')
    expect(await folders()).toHaveLength(1)
    expect(await refused(`GET ${at}`)).toEqual([404, 'migration_not_found'])
    expect(await refused(`POST ${at}/finish`)).toEqual([404, 'migration_not_found'])
    expect(await read(1)).toMatchObject({ bins: { n: 'after' } })
    await ok(`DELETE ${NS}/n`)
  })

  test('refuse what would change the namespace meanwhile, and take truncations', async () => {
    const { ok } = gateway()
    const { at, migrate, step, refused } = await begun(gateway(), 'busy')
    await migrate({ segments: 8 })
    const active = [409, 'migration_active']
    const here = `${NS}/busy`
    expect(await refused(`POST ${here}/migrate`, { segments: 16 })).toEqual(active)
    expect(await refused(`PATCH ${here}`, { defaultTtlSeconds: 5 })).toEqual(active)
    expect(await refused(`POST ${here}/sets`, { name: 'more' })).toEqual(active)
    expect(await refused(`PATCH ${here}/sets/s`, { index: true })).toEqual(active)
    expect(await refused(`POST ${here}/indexes`, { name: 'i', bin: 'n', kind: 'range' })).toEqual(active)
    expect(await refused(`DELETE ${here}`)).toEqual(active)
    expect(await refused(`POST ${at}/resume`)).toEqual(active)
    await ok(`DELETE ${here}/sets/s?wait=30s`)
    expect(await step('cut-over')).toMatchObject({ source: { records: 0 }, target: { records: 0 } })
    await step('finish')
    await ok(`DELETE ${here}`)
  })

  test('that were aborted are resumed or abandoned', async () => {
    const { ok } = gateway()
    const { at, migrate, step, refused, show } = await begun(gateway(), 'slow')
    const job = await migrate({ segments: 8, recordsPerSecond: 1, threads: 1 }, '0s')
    expect(job.state).not.toBe('done')
    expect(await refused(`POST ${at}/cut-over`)).toEqual([409, 'migration_not_ready'])
    await ok(`DELETE /api/v1/jobs/${job.id}`)
    expect(await ok(`GET /api/v1/jobs/${job.id}?wait=30s`)).toMatchObject({ state: 'aborted' })
    expect(await show()).toMatchObject({ phase: 'failed', failure: { code: 'aborted' }, jobId: job.id })
    expect(await refused(`POST ${at}/cut-over`)).toEqual([409, 'migration_failed'])
    expect(await ok(`POST ${at}/resume?wait=60s`, { body: { threads: 2 } })).toMatchObject({ state: 'done' })
    expect(await show()).toMatchObject({ phase: 'doubled' })
    const left = await step('abandon')
    expect(left).toMatchObject({ name: 'slow', records: RECORDS, config: { segments: 4 } })
    expect(left).not.toHaveProperty('migration')
    await ok(`DELETE ${NS}/slow`)
  })

  test('begin once for one idempotency key', async () => {
    const { ok, send } = gateway()
    await begun(gateway(), 'once')
    const options = { body: { segments: 8 }, headers: { 'idempotency-key': 'migrate-once' } }
    const answers = [await send(`POST ${NS}/once/migrate`, options), await send(`POST ${NS}/once/migrate`, options)]
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[1]?.headers['idempotency-replayed']).toBe('true')
    expect(answers[1]?.json()['id']).toBe(answers[0]?.json()['id'])
    await ok(`POST ${NS}/once/migration/abandon`)
    await ok(`DELETE ${NS}/once`)
  })

  test('carry what expires and what is evicted', async () => {
    const { ok } = gateway()
    const storage = { engine: 'memory', maxMemoryBytes: 2_097_152 }
    await ok(`POST ${NS}`, { body: { name: 'ages', storage, segments: 4, evictAtPercent: 50 } })
    const write = (set: string, records: number, ttlSeconds: number) => {
      const line = (key: number) => JSON.stringify({ key, ttlSeconds, bins: { n: 'x'.repeat(2000) } })
      const body = Array.from({ length: records }, (_, key) => `${line(key)}\n`).join('')
      const headers = { 'content-type': 'application/x-ndjson' }
      return ok(`POST ${NS}/ages/sets/${set}/records`, { body, headers })
    }
    await ok(`POST ${NS}/ages/migrate?wait=60s`, { body: { storage: { engine: 'device' } } })
    await write('short', 100, 1)
    const limits = async () =>
      (await ok<{ limits: { expiredRecords: number; evictedRecords: number } }>(`GET ${NS}/ages`)).limits
    const patience = { timeout: 30_000 }
    await expect.poll(limits, patience).toMatchObject({ expiredRecords: 100, evictedRecords: 0 })
    await write('long', 700, 3600)
    await expect.poll(async () => (await limits()).evictedRecords, patience).toBeGreaterThan(0)
    const { source, target } = await ok<Migration>(`POST ${NS}/ages/migration/cut-over`)
    expect(target.records).toBe(source.records)
    expect(target.records).toBeLessThan(700)
    await ok(`POST ${NS}/ages/migration/finish`)
    expect(await ok(`GET ${NS}/ages/size?set=short`)).toMatchObject({ records: 0 })
    expect(await ok(`GET ${NS}/ages/size?set=long`)).toMatchObject({ records: target.records })
    await ok(`DELETE ${NS}/ages`)
  })

  test('to a device keep every record, and stop for one that is full', async () => {
    const { ok } = gateway()
    const { at, migrate, refused, show, read } = await begun(gateway(), 'full')
    await migrate({ storage: { engine: 'memory', maxMemoryBytes: 1_048_576 } })
    const written = { n: 'x'.repeat(60_000) }
    for (let key = 0; key < RECORDS; key += 1) await gateway().put(`full/sets/s/records/${key}`, written)
    expect(await show()).toMatchObject({ phase: 'failed', source: { records: RECORDS } })
    expect(await refused(`POST ${at}/cut-over`)).toEqual([409, 'migration_failed'])
    expect(await read(RECORDS - 1)).toMatchObject({ bins: written })
    await ok(`POST ${at}/abandon`)
    await migrate({ storage: { engine: 'device' } })
    await ok(`POST ${at}/cut-over`)
    expect(await read(RECORDS - 1)).toMatchObject({ bins: written })
    await ok(`POST ${at}/finish`)
    await ok(`DELETE ${NS}/full`)
  })
})

describe('finishing in production', () => {
  const gateway = useGateway({ environment: 'production' })

  test('needs the name of the namespace', async () => {
    const { ok } = gateway()
    const { at, migrate, step, refused } = await begun(gateway(), 'kept')
    await migrate({ segments: 8 })
    await step('cut-over')
    expect(await refused(`POST ${at}/finish`)).toEqual([428, 'confirm_required'])
    await ok(`POST ${at}/finish`, { headers: { 'x-confirm': 'kept' } })
  })
})

describe('after a kill', () => {
  const other = useGateway()
  const gateway = useGateway({}, undefined, async (directory) => {
    const { migrate, step } = await begun(other(), 'killed', { engine: 'device' })
    await migrate({ storage: paged })
    await step('cut-over')
    // What a kill leaves: the files as they are.
    for (const name of ['manifest', 'witness', 'namespaces'])
      await cp(join(other().directory, name), join(directory, name), { recursive: true })
  })

  test('a migration goes on where it was cut over', async () => {
    const { ok } = gateway()
    await gateway().app.engine.settled()
    const { jobId } = await ok<Migration>(`GET ${NS}/killed/migration`)
    expect(await ok(`GET /api/v1/jobs/${jobId}?wait=60s`)).toMatchObject({ state: 'done', kind: 'migrate' })
    expect(await ok(`POST ${NS}/killed/migration/roll-back`)).toMatchObject({
      cutOver: false,
      source: { config: { storage: { engine: 'device' } }, records: RECORDS },
    })
    await ok(`POST ${NS}/killed/migration/abandon`)
    expect(await ok(`GET ${NS}/killed`)).toMatchObject({ records: RECORDS, config: { storage: { engine: 'device' } } })
  })
})

describe('a target that cannot be opened after the cut-over', () => {
  const other = useGateway()
  const gateway = useGateway({}, undefined, async (directory) => {
    const { migrate, step } = await begun(other(), 'broken', { engine: 'device' })
    await migrate({ storage: paged })
    await step('cut-over')
    for (const name of ['manifest', 'witness', 'namespaces'])
      await cp(join(other().directory, name), join(directory, name), { recursive: true })
    await rm(join(directory, 'namespaces/2/pages'))
  })

  test('leaves the source to go back to, and nobody removes it', async () => {
    const { ok, send } = gateway()
    await gateway().app.engine.settled()
    const at = `${NS}/broken/migration`
    expect(await ok(`GET ${NS}/broken`)).toMatchObject({
      state: 'failed',
      config: { storage: paged },
      migration: { phase: 'copying', cutOver: true },
    })
    const refused = async (step: string) => (await send(`POST ${at}/${step}`)).json()['code']
    expect(await refused('finish')).toBe('namespace_failed')
    expect(await refused('abandon')).toBe('confirm_required')
    expect(await ok(`POST ${at}/roll-back`)).toMatchObject({ cutOver: false, phase: 'failed' })
    expect(await ok(`GET ${NS}/broken`)).toMatchObject({ state: 'ready', records: RECORDS })
    expect(await ok(`POST ${at}/abandon`)).toMatchObject({ state: 'ready', config: { storage: { engine: 'device' } } })
  })
})
