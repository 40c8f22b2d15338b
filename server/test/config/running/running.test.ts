// The settings of a running server over REST: what is shown, what may change, the file, and revisions.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildApp } from '../../../src/app.js'
import { Access } from '../../../src/auth/access.js'
import { readConfig } from '../../../src/config.js'
import { valuesOf } from '../../../src/config/running/running.js'
import { settings } from '../../../src/config/settings.js'
import { openNativeEngine } from '../../../src/engines/native.js'
import type { ServerConfig, ServerRevision } from '../../../src/schemas/server/config.js'
import { Gateway, TOKEN } from '../../gateway.js'

const text = `// A password: hunter2
{
  "streams": 64, // few
  "port": 7400,
}
`
const URL = '/api/v1/config'

let home: string
let path: string
let gateway: Gateway

async function open(args = ['--config', path], environment: Record<string, string> = {}): Promise<void> {
  const start = { args: ['--data', home, ...args], environment: { TESSERA_LOG_LEVEL: 'silent', ...environment } }
  const config = readConfig(start.args, start.environment)
  const engine = await openNativeEngine(config)
  const app = await buildApp({ config, start, engine, access: new Access(TOKEN), consoleFiles: join(home, 'none') })
  gateway = new Gateway(app, home)
  await app.ready()
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tessera-running-'))
  path = join(home, 'tessera.json')
  writeFileSync(path, text, { mode: 0o640 })
  await open()
})

afterEach(async () => {
  await gateway.app.close()
  rmSync(home, { recursive: true })
})

const change = (sent: object, more = '', headers = {}) =>
  gateway.send(`PATCH ${URL}${more}`, { body: { settings: sent }, headers })
const setting = async (key: string) =>
  (await gateway.ok<ServerConfig>(`GET ${URL}`)).settings.find((one) => one.key === key)
const revisions = async () => (await gateway.ok<{ items: ServerRevision[] }>(`GET ${URL}/revisions`)).items
const onDisk = (): string => readFileSync(path, 'utf8')

describe('the settings of a server', () => {
  test('are shown with what sets them', async () => {
    expect(await setting('streams')).toMatchObject({ value: '64', default: '128', source: 'file', from: `${path}:3` })
    expect(await setting('logLevel')).toMatchObject({ source: 'variable', from: 'TESSERA_LOG_LEVEL', live: true })
    expect(await setting('dataDir')).toMatchObject({ source: 'flag', from: '--data', live: false })
    expect(await setting('unreadBytes')).toMatchObject({ source: 'default', form: { kind: 'integer', unit: 'bytes' } })
  })

  test('are all that there are, and no secret', async () => {
    const shown = await gateway.ok<ServerConfig>(`GET ${URL}`)
    expect(shown.settings).toHaveLength(Object.keys(settings).length)
    const secret = { id: 'port' as const, key: 'a', value: 'x', source: 'file' as const, from: '', fallback: '' }
    expect(
      valuesOf([
        { ...secret, live: true, secret: true },
        { ...secret, key: 'b', live: true, secret: false },
      ]),
    ).toEqual({
      b: 'x',
    })
  })

  test('that an administrator token may change expose nothing of the machine', () => {
    const live = Object.entries(settings).filter(([, one]) => 'live' in one)
    expect(live.map(([id]) => id).toSorted()).toEqual(
      [
        'bodyTimeoutMs defaultThreads environment hosts importPatienceMs logLevel logRequests loopAlarmMs overloadDelayMs',
        'readOnly streamBytesMax streamsMax tlsNoticeDays trustedProxies unreadBytesMax',
      ].flatMap((line) => line.split(' ')),
    )
  })
})

describe('a change', () => {
  test('goes into the file, holds at once, and keeps comments and mode', async () => {
    const answer = await change({ streams: 32, hosts: ['localhost', 'a'], readOnly: false })
    expect(answer.json()).toMatchObject({ changes: [{ field: 'hosts' }, { field: 'streams', from: '64', to: '32' }] })
    expect(onDisk()).toBe(
      text
        .replace('64', '32')
        .replace('7400,\n', '7400,\n  "hosts": ["localhost", "a"],\n  "readOnly": false,\n')
        .replace('  "readOnly": false,\n', ''),
    )
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(home).filter((name) => name.startsWith('tessera.json'))).toEqual(['tessera.json'])
    expect(gateway.app.config).toMatchObject({ streamsMax: 32, hosts: ['localhost', 'a'] })
    expect(await change({ hosts: null, streams: null })).toMatchObject({ status: 200 })
    expect(onDisk()).toBe(text.replace('  "streams": 64, // few', '   // few'))
    expect(gateway.app.config.streamsMax).toBe(128)
  })

  test('is only told by a dry run', async () => {
    const answer = await change({ streams: '32' }, '?dryRun=true')
    expect(answer.json()).toMatchObject({ changes: [{ field: 'streams', applies: 'at_once', from: '64', to: '32' }] })
    expect(answer.json<ServerConfig>().settings.find(({ key }) => key === 'streams')).toMatchObject({ value: '32' })
    expect([onDisk(), gateway.app.config.streamsMax, (await revisions()).length]).toEqual([text, 64, 1])
  })

  test.each<[string, object, string, string]>([
    ['a setting that needs a restart', { port: 1 }, 'setting_fixed', 'settings.port'],
    ['the files of TLS', { tlsKey: '/etc/shadow' }, 'setting_fixed', 'settings.tlsKey'],
    ['a directory', { backupDir: '/etc' }, 'setting_fixed', 'settings.backupDir'],
    ['a setting of a variable', { logLevel: 'debug' }, 'setting_overridden', 'settings.logLevel'],
    ['an unknown one', { nope: 1 }, 'field_unknown', 'settings.nope'],
    ['a wrong value', { streams: 0 }, 'config_invalid', 'settings.streams'],
    ['a list of what is none', { streams: ['1'] }, 'config_invalid', 'settings.streams'],
    ['a list with its separator', { hosts: ['a,b'] }, 'config_invalid', 'settings.hosts'],
    ['names without that of the request', { hosts: ['other'] }, 'config_invalid', 'settings.hosts'],
    ['one of several', { streams: 3, port: 1 }, 'setting_fixed', 'settings.port'],
  ])('of %s is refused', async (_what, sent, code, field) => {
    const dry = await change(sent, '?dryRun=true')
    expect([dry.json()['code'], dry.json()['field']]).toEqual([code, field])
    const answer = await change(sent)
    expect([answer.json()['code'], answer.json()['field']]).toEqual([code, field])
    expect([onDisk(), (await revisions()).length]).toEqual([text, 1])
  })

  test('of the proxies keeps a name by which the caller reaches the server', async () => {
    const behind = { host: '10.1.1.1', 'x-forwarded-host': 'db.example.com' }
    expect(await change({ hosts: ['db.example.com', 'localhost'], trustedProxies: ['127.0.0.1'] })).toMatchObject({
      status: 200,
    })
    for (const sent of [{ trustedProxies: null }, { trustedProxies: ['10.0.0.0/8'] }])
      expect((await change(sent, '', behind)).json()).toMatchObject({
        code: 'config_invalid',
        field: 'settings.trustedProxies',
      })
    expect(await change({ trustedProxies: ['127.0.0.0/8'] }, '', behind)).toMatchObject({ status: 200 })
    expect((await change({ hosts: ['localhost'] }, '', behind)).json()).toMatchObject({ field: 'settings.hosts' })
    expect(await change({ hosts: null, trustedProxies: null }, '', behind)).toMatchObject({ status: 200 })
  })

  test('takes settings as they are, also those that need a restart', async () => {
    expect((await change({ port: 7400, streams: 64 })).json()).toMatchObject({ changes: [] })
    expect([onDisk(), (await revisions()).length]).toEqual([text, 1])
  })

  test('of a file that somebody has changed is refused until it is reloaded', async () => {
    writeFileSync(path, text.replace('64', '50').replace('7400', '7500'))
    expect(await gateway.ok(`GET ${URL}`)).toMatchObject({ file: { changed: true } })
    expect(await setting('streams')).toMatchObject({ value: '64', next: { value: '50', needs: 'reload' } })
    expect((await change({ streams: 3 })).json()).toMatchObject({ code: 'config_file_changed' })
    expect(await gateway.ok(`POST ${URL}/reload`)).toEqual({
      changes: [{ field: 'streams', from: '64', to: '50' }],
      needRestart: expect.arrayContaining(['port']) as string[],
    })
    expect(await setting('port')).toMatchObject({ value: '7400', next: { value: '7500', needs: 'restart' } })
    expect((await change({ streams: 3 })).status).toBe(200)
    expect((await revisions()).map(({ cause, who }) => [cause, who])).toEqual([
      ['changed', 'token'],
      ['found', 'token'],
      ['created', 'start'],
    ])
  })

  test('of a file that is gone or wrong is refused, and so is its reload', async () => {
    rmSync(path)
    expect((await change({ streams: 3 })).json()).toMatchObject({ code: 'config_file_changed' })
    writeFileSync(path, '{"streams": 0}')
    expect(await gateway.ok(`GET ${URL}`)).toMatchObject({
      file: { fault: expect.stringContaining('streams must be') as string },
    })
    expect((await gateway.send(`POST ${URL}/reload`)).json()).toMatchObject({ code: 'config_file_invalid' })
    expect(gateway.app.config.streamsMax).toBe(64)
  })

  test('is taken back if the reload behind it fails', async () => {
    const failing = vi.spyOn(gateway.app.gate, 'measureBy').mockImplementationOnce(() => {
      throw new Error('no')
    })
    expect((await change({ streams: 3 })).status).toBe(500)
    failing.mockRestore()
    expect([onDisk(), gateway.app.config.streamsMax, (await revisions()).length]).toEqual([text, 64, 1])
    expect((await change({ streams: 3 })).status).toBe(200)
  })

  test('needs a file', async () => {
    await gateway.app.close()
    await open([])
    expect((await change({ streams: 3 }, '?dryRun=true')).json()).toMatchObject({ changes: [{ field: 'streams' }] })
    expect((await change({ streams: 3 })).json()).toMatchObject({ code: 'config_file_none' })
    expect((await gateway.send(`POST ${URL}/reload`)).json()).toMatchObject({ code: 'config_file_none' })
  })

  test('on a read-only server is refused, and a reload ends that', async () => {
    expect((await change({ readOnly: true })).status).toBe(200)
    expect((await change({ readOnly: false })).json()).toMatchObject({ code: 'server_read_only' })
    writeFileSync(path, text)
    await gateway.ok(`POST ${URL}/reload`)
    expect(gateway.app.config.readOnly).toBe(false)
  })
})

describe('revisions', () => {
  test('have who, why and what, and nothing else of the file', async () => {
    await gateway.ok(`PATCH ${URL}`, { body: { settings: { streams: 3 }, reason: 'Few.' } })
    const [newest, first] = await revisions()
    expect(newest).toMatchObject({ number: 2, who: 'token', cause: 'changed', reason: 'Few.' })
    expect(newest).toMatchObject({ changes: [{ field: 'streams', from: '64', to: '3' }] })
    expect(first).toMatchObject({ number: 1, who: 'start', cause: 'created' })
    expect(await gateway.ok(`GET ${URL}/revisions/1`)).toMatchObject({ settings: { streams: '64', port: '7400' } })
    expect(readFileSync(join(home, 'revisions/server/revisions.json'), 'utf8')).not.toContain('hunter2')
    expect((await gateway.send(`GET ${URL}/revisions/9`)).json()).toMatchObject({ code: 'revision_not_found' })
  })

  test('are found by a start, which keeps the others', async () => {
    await gateway.app.close()
    writeFileSync(path, text.replace('7400', '7500'))
    await open()
    const [newest] = await revisions()
    expect(newest).toMatchObject({ number: 2, who: 'start', cause: 'found', changes: [{ field: 'port' }] })
    await gateway.app.close()
    await open()
    expect(await revisions()).toHaveLength(2)
  })

  test('are rolled back to, but for what needs a restart', async () => {
    await change({ streams: 3, importPatience: '1m' })
    await gateway.app.close()
    writeFileSync(path, onDisk().replace('7400', '7500'))
    await open()
    const plan = await gateway.ok<ServerConfig>(`POST ${URL}/revisions/1/restore?dryRun=true`)
    expect(plan.changes?.map(({ field, applies }) => [field, applies])).toEqual([
      ['importPatience', 'at_once'],
      ['streams', 'at_once'],
      ['port', 'restart'],
    ])
    await gateway.ok(`POST ${URL}/revisions/1/restore`, { body: { reason: 'Back.' } })
    expect(onDisk()).toBe(text.replace('7400', '7500'))
    expect((await revisions())[0]).toMatchObject({ cause: 'restored', restored: 1, reason: 'Back.' })
  })

  test('are made by a reload of a signal', async () => {
    writeFileSync(path, text.replace('64', '50'))
    await gateway.app.settings.reload({ cause: 'found', who: 'signal' })
    expect((await revisions())[0]).toMatchObject({ who: 'signal', cause: 'found', changes: [{ field: 'streams' }] })
  })
})

test('the audit log has both values of a change', async () => {
  await change({ streams: 3 })
  const { items } = await gateway.ok<{ items: { operation?: string; changes?: unknown }[] }>('GET /api/v1/audit')
  const found = items.filter(({ operation }) => operation === 'updateServerConfig')
  expect(JSON.stringify(found)).toMatch(/streams.*64.*3|streams.*3.*64/)
})
