// The settings of slow operations outlive the gateway, and what is damaged keeps no keys.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import type { SlowOperations, SlowSettings } from '../../src/schemas/server/slow.js'
import { Gateway, TOKEN } from '../gateway.js'

const SETTINGS = '/api/v1/slow/settings'
let directory: string
let gateway: Gateway

async function open(): Promise<void> {
  const config = readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' })
  const app = await buildApp({ config, engine: await openNativeEngine(config), access: new Access(TOKEN) })
  gateway = new Gateway(app, directory)
  await app.ready()
}

/** `meanwhile` happens while the gateway is closed. */
async function restart(meanwhile: () => void = () => undefined): Promise<void> {
  await gateway.app.close()
  meanwhile()
  await open()
}

const file = (): string => join(directory, 'slow', 'settings.json')
const settings = () => gateway.ok<SlowSettings>(`GET ${SETTINGS}`)
const change = (body: object) => gateway.ok<SlowSettings>(`PATCH ${SETTINGS}`, { body })
const notices = async () =>
  (await gateway.ok<{ gatewayNotices: { code: string; message: string }[] }>('GET /api/v1/status')).gatewayNotices

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  await open()
})
afterEach(async () => {
  await gateway.app.close()
  await rm(directory, { recursive: true })
})

test('a restart keeps every setting', async () => {
  await gateway.memoryNamespace('shop')
  await change({ thresholdMs: 12.5, namespaces: { shop: 20 } })
  await change({ keepKeys: false })
  await restart()
  expect(await settings()).toMatchObject({ thresholdMs: 12.5, keepKeys: false, namespaces: { shop: 20 } })
  expect(await notices()).toEqual([])
})

test('a restart keeps a threshold as it is', async () => {
  for (const thresholdMs of [0.1, 0.7, 3_600_000]) {
    await change({ thresholdMs })
    await restart()
    expect(await settings()).toMatchObject({ thresholdMs, keepKeys: true })
    expect(await notices()).toEqual([])
  }
})

test('a namespace may be called as what each object of JavaScript has', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(await thresholdsOf(name)).toEqual([])
})

/** Gives a new namespace a threshold and takes it away again. Returns the thresholds that are left. */
async function thresholdsOf(name: string): Promise<[string, number][]> {
  // An object literal with the key `__proto__` has another prototype, and no such key.
  const own = (threshold: number | null): string => `{"namespaces":{"${name}":${threshold}}}`
  const json = { 'content-type': 'application/json' }
  const thresholds = async () => Object.entries((await settings()).namespaces)
  const absent = await gateway.send(`PATCH ${SETTINGS}`, { body: own(20), headers: json })
  expect([absent.status, absent.json()['code']]).toEqual([404, 'namespace_not_found'])
  await gateway.memoryNamespace(name)
  const changed = await gateway.ok<SlowSettings>(`PATCH ${SETTINGS}`, { body: own(0.1), headers: json })
  expect(Object.entries(changed.namespaces)).toEqual([[name, 0.1]])
  expect(await thresholds()).toEqual([[name, 0.1]])
  const { seen } = await change({ thresholdMs: 3_600_000 })
  await gateway.put(`${name}/sets/s/records/a`, { n: 1 })
  const body = { recordsPerSecond: 1, threads: 1 }
  await gateway.put(`${name}/sets/s/records/b`, { n: 1 })
  await gateway.send(`POST /api/v1/namespaces/${name}/scan`, { body })
  // Its own threshold counts: 100 µs, and not an hour.
  expect((await settings()).seen).toBeGreaterThan(seen)
  const refused = await gateway.send(`PATCH ${SETTINGS}`, { body: own(0.01), headers: json })
  expect([refused.status, refused.json()['field']]).toEqual([400, `namespaces.${name}`])
  expect(await thresholds()).toEqual([[name, 0.1]])
  expect(readFileSync(file(), 'utf8')).toContain(`"${name}":0.1`)
  await gateway.ok(`PATCH ${SETTINGS}`, { body: own(null), headers: json })
  return thresholds()
}

test.each(['20', 'null'])('a name that is no text gets no threshold of %s', async (threshold) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await gateway.send(`PATCH ${SETTINGS}`, { body: `{"namespaces":{"\\ud800":${threshold}}}`, headers })
  expect(answer.json()).toMatchObject({ status: 400, code: 'field_invalid', field: 'namespaces' })
})

test('the first operations after a restart have no keys if these are not kept', async () => {
  await change({ keepKeys: false, thresholdMs: 20 })
  await restart()
  await gateway.memoryNamespace('shop')
  for (let n = 0; n < 4; n++) await gateway.put(`shop/sets/users/records/u${n}`, { n })
  const where = { bin: 'n', op: 'ne', value: 'secret' }
  const body = { set: 'users', threads: 1, recordsPerSecond: 40, where }
  await gateway.send('POST /api/v1/namespaces/shop/scan', { body })
  const { items } = await gateway.ok<SlowOperations>('GET /api/v1/slow?op=scan')
  expect(items.map(({ filterShape }) => filterShape)).toEqual(['n != ?'])
  expect(JSON.stringify(items)).not.toContain('secret')
})

test('a namespace that was dropped leaves no threshold to another one of its name', async () => {
  for (const name of ['shop', 'other']) await gateway.memoryNamespace(name)
  await change({ namespaces: { shop: 20, other: 30 } })
  await gateway.ok('DELETE /api/v1/namespaces/shop')
  await gateway.memoryNamespace('shop')
  await restart()
  expect((await settings()).namespaces).toEqual({ other: 30 })
})

test('a threshold of a namespace that is gone stops no start', async () => {
  await gateway.memoryNamespace('shop')
  await change({ thresholdMs: 7, namespaces: { shop: 20 } })
  const whole = readFileSync(file())
  await gateway.ok('DELETE /api/v1/namespaces/shop')
  await restart(() => writeFileSync(file(), whole))
  expect(await settings()).toMatchObject({ thresholdMs: 7, namespaces: {} })
  expect(await notices()).toEqual([])
})

describe('a file that is', () => {
  test.each([
    ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 40))],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['changed', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('7', '9'))],
    ['of a later version', (path: string) => writeFileSync(path, '{"version":2,"sha256":"","body":{}}')],
    ['a folder', (path: string) => (rmSync(path), mkdirSync(path))],
  ])('%s keeps no keys and is reported, until the settings are changed', async (_how, damage) => {
    await change({ thresholdMs: 7, keepKeys: true })
    await restart(() => damage(file()))
    expect(await settings()).toMatchObject({ thresholdMs: 100, keepKeys: false })
    expect(await notices()).toMatchObject([
      { code: 'slow_settings_damaged', message: expect.stringContaining('settings.json') as string },
    ])
    // Another start finds the same.
    await restart()
    expect(await settings()).toMatchObject({ keepKeys: false })
    expect(await notices()).toHaveLength(1)
  })

  test.each([
    ['taken away', () => rmSync(file())],
    ['a link to nothing', () => (rmSync(file()), symlinkSync('/nowhere/at/all', file()))],
  ])('%s: no keys are kept, and a notice says so', async (_how, meanwhile) => {
    await change({ keepKeys: false })
    await restart(meanwhile)
    expect((await settings()).keepKeys).toBe(false)
    expect(await notices()).toMatchObject([{ code: 'slow_settings_damaged' }])
  })

  test('damaged is kept beside, and a change replaces it', async () => {
    await change({ thresholdMs: 7 })
    await restart(() => writeFileSync(file(), 'x'))
    expect(readFileSync(`${file()}.damaged`, 'utf8')).toBe('x')
    expect(await change({ keepKeys: true })).toMatchObject({ keepKeys: true })
    expect(await notices()).toEqual([])
    await restart()
    expect(await settings()).toMatchObject({ keepKeys: true })
    expect(readFileSync(`${file()}.damaged`, 'utf8')).toBe('x')
  })
})

/** Makes the folder of the settings one that cannot be written. The audit log still can. */
const block = (): void => {
  renameSync(dirname(file()), `${dirname(file())}.gone`)
  writeFileSync(dirname(file()), '')
}
const unblock = (): void => {
  rmSync(dirname(file()))
  renameSync(`${dirname(file())}.gone`, dirname(file()))
}

test('what cannot be written does not hold, except that keys that had to go are gone', async () => {
  await gateway.memoryNamespace('shop')
  await change({ thresholdMs: 7, namespaces: { shop: 20 } })
  block()
  const body = { thresholdMs: 9, keepKeys: false, namespaces: { shop: null } }
  const { status, json } = await gateway.send(`PATCH ${SETTINGS}`, { body })
  expect([status, json()]).toMatchObject([503, { code: 'data_directory_unavailable' }])
  unblock()
  expect(await settings()).toMatchObject({ thresholdMs: 7, keepKeys: false, namespaces: { shop: 20 } })
  expect(existsSync(`${file()}.new`)).toBe(false)
  // It is written again, at the latest when the gateway closes.
  expect(await notices()).toMatchObject([{ code: 'slow_settings_not_written' }])
  await restart()
  expect(await settings()).toMatchObject({ thresholdMs: 7, keepKeys: false, namespaces: { shop: 20 } })
  expect(await notices()).toEqual([])
})

test('what could not be written is not lost to the write for a dropped namespace', async () => {
  await gateway.memoryNamespace('shop')
  await change({ namespaces: { shop: 20 } })
  block()
  expect((await gateway.send(`PATCH ${SETTINGS}`, { body: { keepKeys: false } })).status).toBe(503)
  unblock()
  await gateway.ok('DELETE /api/v1/namespaces/shop', { headers: { 'x-confirm': 'shop' } })
  await restart()
  expect(await settings()).toMatchObject({ keepKeys: false, namespaces: {} })
})

test('a refused change changes nothing, also not whether keys are kept', async () => {
  const body = { keepKeys: false, namespaces: { absent: 5 } }
  expect((await gateway.send(`PATCH ${SETTINGS}`, { body })).status).toBe(404)
  expect(await settings()).toMatchObject({ keepKeys: true, namespaces: {} })
  expect(await notices()).toEqual([])
})

describe('the file of slow operations', () => {
  const log = (): string => join(directory, 'history', 'slow.log')
  // A gateway that lived for less than a second has no folder yet.
  beforeEach(() => void mkdirSync(join(directory, 'history'), { recursive: true }))

  test('is told if it is damaged, and the next start has a whole one', async () => {
    await restart(() => writeFileSync(log(), 'this is nothing of ours'))
    expect(await notices()).toMatchObject([
      { code: 'slow_damaged', message: expect.stringContaining('1 damaged place was found') as string },
    ])
    await restart()
    expect(await notices()).toEqual([])
  })

  test('is told if something else has its place, and what is slow stays in memory', async () => {
    await restart(() => (rmSync(log(), { force: true }), mkdirSync(log())))
    expect(await notices()).toContainEqual(
      expect.objectContaining({ code: 'slow_damaged', message: expect.stringContaining('no regular file') as string }),
    )
    await expect.poll(async () => (await notices()).map(({ code }) => code)).toContain('slow_not_written')
  })
})
