// The configuration of a namespace has revisions: who changed what, when and why; and a way back.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { History, REVISIONS_MAX } from '../../src/revisions/history.js'
import type { PlannedChange } from '../../src/schemas/namespaces/changes.js'
import type { Namespace, NamespaceConfig } from '../../src/schemas/namespaces/namespaces.js'
import type { ConfigRevision, WholeConfigRevision } from '../../src/schemas/namespaces/revisions.js'
import { Gateway, TOKEN } from '../gateway.js'

const NS = '/api/v1/namespaces/shop'
const REVISIONS = `${NS}/config/revisions`
let directory: string
let gateway: Gateway

async function open(): Promise<void> {
  const config = readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' })
  const app = await buildApp({ config, engine: await openNativeEngine(config), access: new Access(TOKEN) })
  gateway = new Gateway(app, directory)
  await app.ready()
}

/** `meanwhile` happens while the gateway is closed. */
async function restart(meanwhile: () => unknown = () => undefined): Promise<void> {
  await gateway.app.close()
  await meanwhile()
  await open()
}

const make = (name = 'shop', storage: object = { engine: 'device' }) =>
  gateway.ok<Namespace>('POST /api/v1/namespaces', { body: { name, storage, segments: 16 } })
const change = (body: object) => gateway.ok<Namespace>(`PATCH ${NS}`, { body })
const list = async (url = REVISIONS) => (await gateway.ok<{ items: ConfigRevision[] }>(`GET ${url}`)).items
const restore = (number: number, query = '', body: object = {}) =>
  gateway.ok<Namespace>(`POST ${REVISIONS}/${number}/restore${query}`, { body })
const config = async () => (await gateway.ok<{ config: NamespaceConfig }>(`GET ${NS}`)).config
const numbers = (revisions: ConfigRevision[]) => revisions.map(({ number, cause, who }) => [number, cause, who])
/** Those of namespaces: the server has one of its own. */
const folders = () => readdirSync(join(directory, 'revisions')).filter((name) => name !== 'server')

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  await open()
})
afterEach(async () => {
  await gateway.app.close()
  await rm(directory, { recursive: true })
})

describe('each change', () => {
  test('makes a revision with author, reason, request and what changed', async () => {
    await make()
    const answer = await gateway.send(`PATCH ${NS}`, { body: { defaultTtlSeconds: 60, reason: 'Shorter sessions.' } })
    expect(answer.json<{ changes: PlannedChange[] }>().changes).toMatchObject([
      { field: 'defaultTtlSeconds', from: 0, to: 60, applies: 'at_once' },
    ])
    const [changed, created] = await list()
    expect(changed).toMatchObject({
      number: 2,
      who: 'token',
      cause: 'changed',
      reason: 'Shorter sessions.',
      request: answer.headers['x-request-id'],
      changes: [{ field: 'defaultTtlSeconds', from: 0, to: 60 }],
    })
    expect(created).toMatchObject({ number: 1, who: 'token', cause: 'created', changes: [] })
    const whole = await gateway.ok<WholeConfigRevision>(`GET ${REVISIONS}/2`)
    expect(whole.config).toEqual(await config())
  })

  test('that changes nothing makes none', async () => {
    await make()
    await change({ defaultTtlSeconds: 0 })
    await change({ reason: 'Only looking.' })
    expect(numbers(await list())).toEqual([[1, 'created', 'token']])
  })

  test('may be sent as all settings, as they were read', async () => {
    await make()
    await change({ ...(await config()), evictAtPercent: 70 })
    expect((await list())[0]?.changes).toEqual([{ field: 'evictAtPercent', from: 0, to: 70 }])
  })

  test('of two at once has its own author and its own changes', async () => {
    await make()
    await Promise.all([
      change({ defaultTtlSeconds: 60, reason: 'one' }),
      change({ evictAtPercent: 70, reason: 'two' }),
      list(),
    ])
    const made = (await list()).map(({ reason, changes }) => [reason, changes.map(({ field }) => field)])
    expect(made.slice(0, 2).toSorted()).toEqual([
      ['one', ['defaultTtlSeconds']],
      ['two', ['evictAtPercent']],
    ])
    expect(made).toHaveLength(3)
  })

  test('of a step of a migration is attributed to its caller', async () => {
    await make('shop', { engine: 'memory' })
    const job = await gateway.ok<{ id: string }>(`POST ${NS}/migrate?wait=30s`, { body: { segments: 32 } })
    await gateway.ok(`GET /api/v1/jobs/${job.id}?wait=30s`)
    await gateway.ok(`POST ${NS}/migration/cut-over`)
    await gateway.ok(`POST ${NS}/migration/finish`)
    const [newest, ...others] = await list()
    expect(newest).toMatchObject({
      cause: 'migrated',
      who: 'token',
      changes: [{ field: 'segments', from: 16, to: 32 }],
    })
    expect(others).toHaveLength(1)
  })
})

describe('the list', () => {
  test('comes in pages, newest first', async () => {
    await make()
    for (const seconds of [1, 2, 3]) await change({ defaultTtlSeconds: seconds })
    const page = await gateway.ok<{ items: ConfigRevision[]; cursor: string }>(`GET ${REVISIONS}?limit=3`)
    expect(page.items.map(({ number }) => number)).toEqual([4, 3, 2])
    expect((await list(`${REVISIONS}?cursor=${page.cursor}`)).map(({ number }) => number)).toEqual([1])
  })

  test('outlives a restart, and has no more for it', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    const before = await list()
    await restart()
    expect(await list()).toEqual(before)
  })

  test('has what was changed while no gateway kept it', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    await restart(() => rm(join(directory, 'revisions'), { recursive: true }))
    expect(numbers(await list())).toEqual([[1, 'found', 'outside']])
    await gateway.app.engine.updateNamespace('shop', { defaultTtlSeconds: 5 })
    await change({ evictAtPercent: 50 })
    expect(numbers(await list())).toEqual([
      [3, 'changed', 'token'],
      [2, 'found', 'outside'],
      [1, 'found', 'outside'],
    ])
  })

  test('keeps the newest', async () => {
    const told: unknown[] = []
    const tell = (error: unknown): void => void told.push(error)
    const history = new History('x', { dataDirectory: directory, damaged: tell, warn: tell })
    for (let n = 1; n <= REVISIONS_MAX + 5; n++) await history.add({ n }, { cause: 'changed', who: 'token' })
    const kept = await history.all()
    expect([kept.length, kept[0]?.number, kept.at(-1)?.number]).toEqual([REVISIONS_MAX, 6, REVISIONS_MAX + 5])
    expect(told).toEqual([])
  })

  test('that cannot be written is kept in memory, and fails no change', async () => {
    await make()
    const [folder] = folders()
    const blocker = join(directory, 'revisions', folder ?? '', 'revisions.json.new')
    mkdirSync(blocker)
    expect((await change({ defaultTtlSeconds: 60, reason: 'first' })).config.defaultTtlSeconds).toBe(60)
    expect((await list())[0]).toMatchObject({ number: 2, reason: 'first' })
    rmdirSync(blocker)
    await change({ defaultTtlSeconds: 70, reason: 'again' })
    await restart()
    expect((await list()).map(({ reason }) => reason)).toEqual(['again', 'first', undefined])
  })

  test.each([false, true])(
    'that is out of reach for a while is not lost, whatever comes meanwhile (file there: %s)',
    async (there) => {
      await make()
      for (const seconds of [10, 20]) await change({ defaultTtlSeconds: seconds })
      const [place, away] = ['revisions', 'away'].map((name) => join(directory, name)) as [string, string]
      renameSync(place, away)
      if (there) writeFileSync(place, 'no folder')
      await change({ defaultTtlSeconds: 30 })
      expect((await list()).map(({ number }) => number)).toEqual([5, 4])
      const { gatewayNotices } = await gateway.ok<{ gatewayNotices: { code: string }[] }>('GET /api/v1/status')
      expect(gatewayNotices.map(({ code }) => code)).toEqual(['revisions_damaged'])
      rmSync(place, { recursive: true })
      renameSync(away, place)
      await change({ defaultTtlSeconds: 40 })
      // What was written into the folder in its place went with that.
      expect((await list()).map(({ number }) => number)).toEqual(there ? [6, 5, 4, 3, 2, 1] : [5, 4, 3, 2, 1])
      expect(existsSync(join(place, folders()[0] ?? '', 'revisions.json.damaged'))).toBe(false)
    },
  )

  test('that is damaged is set aside and told, and begins anew', async () => {
    await make()
    await restart(() => {
      for (const folder of folders()) writeFileSync(join(directory, 'revisions', folder, 'revisions.json'), 'torn')
    })
    expect(numbers(await list())).toEqual([[1, 'found', 'outside']])
    const { gatewayNotices } = await gateway.ok<{ gatewayNotices: { code: string }[] }>('GET /api/v1/status')
    expect(gatewayNotices.map(({ code }) => code)).toEqual(['revisions_damaged'])
    expect(existsSync(join(directory, 'revisions', folders()[0] ?? '', 'revisions.json.damaged'))).toBe(true)
  })
})

test('files that have changed places are told, and no namespace shows those of another', async () => {
  await make('shop')
  await make('other')
  await restart(() => {
    const [one, two] = folders().map((folder) => join(directory, 'revisions', folder, 'revisions.json'))
    const [first, second] = [one ?? '', two ?? ''].map((path) => readFileSync(path))
    writeFileSync(one ?? '', second ?? '')
    writeFileSync(two ?? '', first ?? '')
  })
  expect(numbers(await list())).toEqual([[1, 'found', 'outside']])
  const { gatewayNotices } = await gateway.ok<{ gatewayNotices: { code: string }[] }>('GET /api/v1/status')
  expect(gatewayNotices.map(({ code }) => code)).toEqual(['revisions_damaged', 'revisions_damaged'])
})

describe('a namespace', () => {
  test('that is dropped and restored has its revisions again, under another name too', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    const before = await list()
    const drop = () => gateway.ok<{ restorable: { id: string } }>(`DELETE ${NS}`)
    const { restorable } = await drop()
    await restart()
    await gateway.ok(`POST /api/v1/dropped/${restorable.id}/restore`)
    expect(await list()).toEqual(before)
    const again = await drop()
    await gateway.ok(`POST /api/v1/dropped/${again.restorable.id}/restore`, { body: { name: 'stock' } })
    const moved = await list('/api/v1/namespaces/stock/config/revisions')
    expect(moved.slice(1)).toEqual(before)
    expect(moved[0]?.changes).toEqual([{ field: 'name', from: 'shop', to: 'stock' }])
  })

  test('that takes the name of another one begins anew, and the other keeps its own', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    const before = await list()
    const { restorable } = await gateway.ok<{ restorable: { id: string } }>(`DELETE ${NS}`)
    await make()
    expect(numbers(await list())).toEqual([[1, 'created', 'token']])
    await gateway.ok(`DELETE ${NS}?forGood=true`)
    await gateway.ok(`POST /api/v1/dropped/${restorable.id}/restore`)
    expect(await list()).toEqual(before)
  })

  test('that is gone for good leaves no revisions', async () => {
    await make('shop')
    await make('other')
    await gateway.ok(`DELETE ${NS}?forGood=true`)
    expect(folders()).toHaveLength(1)
    const { restorable } = await gateway.ok<{ restorable: { id: string } }>('DELETE /api/v1/namespaces/other')
    expect(folders()).toHaveLength(1)
    await gateway.ok(`DELETE /api/v1/dropped/${restorable.id}`, { headers: { 'x-confirm': 'other' } })
    expect(folders()).toEqual([])
  })
})

describe('a roll back', () => {
  test('gives the settings of the revision, and is a revision itself', async () => {
    await make()
    await change({ ownership: { nodes: 4, owners: 2, self: 0 }, evictAtPercent: 50 })
    const before = await config()
    await change({ ownership: null, evictAtPercent: 0, reads: 'latest' })
    const preview = await restore(2, '?dryRun=true')
    expect(preview.changes?.map(({ field }) => field).toSorted()).toEqual(['evictAtPercent', 'ownership', 'reads'])
    expect(preview.config).toEqual(before)
    expect((await list())[0]?.number).toBe(3)
    const back = await restore(2, '', { reason: 'It was better.' })
    expect(back.config).toEqual(before)
    expect((await list())[0]).toMatchObject({ number: 4, cause: 'restored', restored: 2, reason: 'It was better.' })
    await restore(1)
    expect(await config()).not.toHaveProperty('ownership')
  })

  test('names what only a migration changes, and leaves it', async () => {
    await make('shop', { engine: 'memory' })
    await change({ defaultTtlSeconds: 9 })
    const job = await gateway.ok<{ id: string }>(`POST ${NS}/migrate?wait=30s`, { body: { segments: 32 } })
    await gateway.ok(`GET /api/v1/jobs/${job.id}?wait=30s`)
    await gateway.ok(`POST ${NS}/migration/cut-over`)
    await gateway.ok(`POST ${NS}/migration/finish`)
    const { changes, config: now } = await restore(1)
    expect(changes?.map(({ field, applies }) => [field, applies]).toSorted()).toEqual([
      ['defaultTtlSeconds', 'at_once'],
      ['segments', 'migration'],
    ])
    expect([now.segments, now.defaultTtlSeconds]).toEqual([32, 0])
  })

  test('is refused if somebody changed the settings first, and changes nothing', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    const { headers } = await gateway.send(`GET ${NS}`)
    await change({ defaultTtlSeconds: 70 })
    const refused = await gateway.send(`POST ${REVISIONS}/1/restore`, {
      body: {},
      headers: { 'if-match': headers['etag'] ?? '' },
    })
    expect([refused.status, refused.json()['code']]).toEqual([412, 'precondition_failed'])
    expect([(await config()).defaultTtlSeconds, (await list()).length]).toEqual([70, 3])
  })

  test('is in the audit log, with the settings before and after', async () => {
    await make()
    await change({ defaultTtlSeconds: 60 })
    await restore(1)
    const { items } = await gateway.ok<{ items: object[] }>('GET /api/v1/audit?operation=restoreConfigRevision&limit=1')
    expect(items).toMatchObject([{ before: { defaultTtlSeconds: 60 }, after: { defaultTtlSeconds: 0 } }])
  })
})

describe('a dry run', () => {
  const preview = (body: object) => gateway.send(`PATCH ${NS}?dryRun=true`, { body })

  test('says what would change and when it would hold, and changes nothing', async () => {
    await make()
    const before = await gateway.send(`GET ${NS}`)
    const answer = await preview({ maxRecordBytes: 4096, segments: 64, storage: { engine: 'paged' }, singleBin: true })
    expect(
      answer
        .json<Namespace>()
        .changes?.map(({ field, applies }) => [field, applies])
        .toSorted(),
    ).toEqual([
      ['maxRecordBytes', 'at_once'],
      ['segments', 'migration'],
      ['singleBin', 'creation'],
      ['storage.engine', 'migration'],
    ])
    expect(answer.json<Namespace>().config).toMatchObject({ maxRecordBytes: 4096, segments: 16 })
    expect(answer.headers['etag']).toBe(before.headers['etag'])
    expect(await config()).toEqual(before.json<Namespace>().config)
    expect(await list()).toHaveLength(1)
  })

  test('says what a limit does at once', async () => {
    await make('shop', { engine: 'memory', maxMemoryBytes: 64 * 1024 * 1024 })
    await gateway.ok(`PUT ${NS}/sets/s/records/1`, { body: { text: 'x'.repeat(900_000) } })
    const effects = async (body: object) =>
      (await preview(body)).json<Namespace>().changes?.map(({ effect }) => effect) ?? []
    expect(await effects({ stopWritesPercent: 1 })).toEqual([
      expect.stringMatching(/refused at once, because .*% is in use/),
    ])
    expect(await effects({ stopWritesPercent: 80 })).toEqual([
      expect.stringMatching(/from this share on\. .*% is in use now/),
    ])
  })

  test.each([
    { engine: 'memory' },
    { engine: 'device', capacityBytes: 16 * 1024 * 1024 },
    { engine: 'paged', capacityBytes: 32 * 1024 * 1024 },
  ])('of a change is refused like the change itself, or not, in %j', async (storage) => {
    await make('shop', storage)
    for (const body of [
      { defaultTtlSeconds: 4_000_000_000 },
      { maxRecordBytes: 1 },
      { maxRecordBytes: 8 * 1024 * 1024 },
      { evictAtPercent: 90 },
      { stopWritesPercent: 10, evictAtPercent: 10 },
      { ownership: { nodes: 2, owners: 3, self: 0 } },
      { ownership: { nodes: 2, owners: 1, self: 2 } },
      { ownership: { nodes: 1, owners: 1, self: 0 } },
      { maxRecordBytes: 4 * 1024 * 1024 },
      { reads: 'latest' },
    ]) {
      const before = await config()
      const [dry, real] = [await preview(body), await gateway.send(`PATCH ${NS}`, { body })]
      const told = ({ status, json }: typeof dry) => [status, json()['code'], json()['field']]
      expect(told(dry), JSON.stringify(body)).toEqual(told(real))
      // Each is tried on the settings that the namespace began with.
      if (real.status === 200) await gateway.ok(`POST ${REVISIONS}/1/restore`, { body: {} })
      expect(await config()).toEqual(before)
    }
  })

  test('of a namespace that migrates is refused as the change is', async () => {
    await make('shop', { engine: 'memory' })
    await gateway.ok(`POST ${NS}/migrate`, { body: { segments: 32, recordsPerSecond: 1 } })
    const body = { defaultTtlSeconds: 5 }
    const codes = [await preview(body), await gateway.send(`PATCH ${NS}`, { body })].map((one) => one.json()['code'])
    expect(codes).toEqual(['migration_active', 'migration_active'])
  })
})

test('a folder of the revisions that leads nowhere stops no start', async () => {
  await make()
  await restart(async () => {
    await rm(join(directory, 'revisions'), { recursive: true })
    symlinkSync('nowhere', join(directory, 'revisions'))
  })
  expect((await list())[0]).toMatchObject({ number: 1, cause: 'found' })
})
