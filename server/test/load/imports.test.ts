// Uploads that break off: where they are, the rest of them, their end; and the rows that were not taken.
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { Access } from '../../src/auth/access.js'
import { type Config, readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import type { Job } from '../../src/schemas/jobs/jobs.js'
import type { ImportReport } from '../../src/schemas/load/import.js'
import type { ImportProgress } from '../../src/schemas/load/imports.js'
import { Gateway, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const csv = { 'content-type': 'text/csv' }
/** Enough for a few blocks of 512 KiB. */
const ROWS = 30_000
const table = Buffer.from(`id,v\n${Array.from({ length: ROWS }, (_, i) => `${i},${'x'.repeat(60)}${i}`).join('\n')}\n`)

/** Begins an upload and breaks it off after `part`; the id of its job, once the gateway has noticed. */
async function breakOff(gateway: Gateway, query: string, part: Buffer, more = ''): Promise<string> {
  const before = await imports(gateway)
  const socket = await begin(gateway, `POST /api/v1/namespaces/n/import?${query}`, part, more)
  const id = await newOne(gateway, before)
  await turnsUntil(async () => (await gateway.app.uploads.progress(id)).receivedBytes === part.length)
  socket.destroy()
  await turnsUntil(async () => (await gateway.app.uploads.progress(id)).state === 'waiting')
  return id
}

/** A request whose body is not complete. */
async function begin(gateway: Gateway, line: string, part: Buffer, more = ''): Promise<Socket> {
  const { port } = gateway.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: text/csv\r\n${more}`
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
  if (part.length > 0)
    socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]))
  return socket
}

const imports = async ({ app }: Gateway): Promise<string[]> =>
  (await app.engine.jobs({ kinds: ['import'] })).items.map(({ id }) => id)

const always = () => true

/** The import that was not there before. */
async function newOne(gateway: Gateway, before: string[]): Promise<string> {
  const find = async () => (await imports(gateway)).find((id) => !before.includes(id))
  // Its job is there before the gateway has its session.
  const known = (id: string) => gateway.app.uploads.progress(id).then(always, () => hasEnded(gateway, id))
  await turnsUntil(async () => {
    const id = await find()
    return id !== undefined && known(id)
  })
  return (await find()) as string
}

const hasEnded = ({ app }: Gateway, id: string) => app.engine.job(id).endedAt !== undefined

/** Waits until the gateway has let an upload go. */
async function gone({ app }: Gateway, id: string): Promise<void> {
  await turnsUntil(() => app.uploads.progress(id).then(() => false, always))
}

describe('an upload that broke off', () => {
  const gateway = useGateway({ defaultThreads: 2 })

  test('goes on where it was', async () => {
    const { app, ok, send } = gateway()
    await gateway().memoryNamespace('n')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const half = Math.floor(table.length / 2)
    const id = await breakOff(gateway(), 'set=a&key=id', table.subarray(0, half))
    const progress = await ok<ImportProgress>(`GET /api/v1/imports/${id}`)
    expect(progress).toMatchObject({ jobId: id, namespace: 'n', set: 'a', state: 'waiting', receivedBytes: half })
    expect(Date.parse(progress.waitsUntil ?? '')).toBeGreaterThan(Date.now())
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ state: 'paused', reason: 'upload broke off' })

    const wrong = await send(`PUT /api/v1/imports/${id}?offset=${half - 1}`, { body: 'x', headers: csv })
    expect([wrong.status, wrong.json()['code']]).toEqual([409, 'import_offset'])
    const report = await ok<ImportReport>(`PUT /api/v1/imports/${id}?offset=${half}`, {
      body: table.subarray(half),
      headers: csv,
    })
    expect(report).toMatchObject({ jobId: id, rows: ROWS, inserted: ROWS, updated: 0, rejectedTotal: 0 })
    expect(report.bytes).toBe(table.length)
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ state: 'done' })
    const after = await send(`GET /api/v1/imports/${id}`)
    expect([after.status, after.json()['code']]).toEqual([409, 'job_finished'])
  })

  test('in the middle of a member of gzip, more than once, and with keys of its own only', async () => {
    const { ok } = gateway()
    const packed = gzipSync(table, { level: 1 })
    const [third, twoThirds] = [Math.floor(packed.length / 3), Math.floor((packed.length * 2) / 3)]
    const more = 'content-encoding: gzip\r\n'
    const id = await breakOff(gateway(), 'set=b&key=id&mode=insert', packed.subarray(0, third), more)
    const again = await begin(gateway(), `PUT /api/v1/imports/${id}?offset=${third}`, packed.subarray(third, twoThirds))
    await turnsUntil(async () => (await gateway().app.uploads.progress(id)).receivedBytes === twoThirds)
    expect((await gateway().app.uploads.progress(id)).state).toBe('uploading')
    again.destroy()
    await turnsUntil(async () => (await gateway().app.uploads.progress(id)).state === 'waiting')
    const report = await ok(`PUT /api/v1/imports/${id}?offset=${twoThirds}`, { body: packed.subarray(twoThirds) })
    expect(report).toMatchObject({ rows: ROWS, inserted: ROWS, rejectedTotal: 0 })
  })

  test('takes one request at a time', async () => {
    const { app, send, ok } = gateway()
    const id = await breakOff(gateway(), 'set=c&key=id', table.subarray(0, 1000))
    const first = await begin(gateway(), `PUT /api/v1/imports/${id}?offset=1000`, table.subarray(1000, 2000))
    await turnsUntil(async () => (await app.uploads.progress(id)).receivedBytes === 2000)
    const second = await send(`PUT /api/v1/imports/${id}?offset=2000`, { body: table.subarray(2000) })
    expect([second.status, second.json()['code']]).toEqual([409, 'import_busy'])
    first.destroy()
    await turnsUntil(async () => (await app.uploads.progress(id)).state === 'waiting')
    // All that was announced has come: the rest may be empty.
    expect(await ok(`PUT /api/v1/imports/${id}?offset=2000`)).toMatchObject({ bytes: 2000 })
  })

  test('is as long as its Content-Length said', async () => {
    const { app, send, ok } = gateway()
    const before = await imports(gateway())
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    const head = `POST /api/v1/namespaces/n/import?set=l&key=id HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}`
    socket.write(`${head}\r\ncontent-type: text/csv\r\ncontent-length: ${table.length}\r\n\r\n`)
    socket.write(table.subarray(0, 500))
    const id = await newOne(gateway(), before)
    await turnsUntil(async () => (await app.uploads.progress(id)).receivedBytes === 500)
    socket.destroy()
    await turnsUntil(async () => (await app.uploads.progress(id)).state === 'waiting')
    const long = await send(`PUT /api/v1/imports/${id}?offset=500`, {
      body: Buffer.concat([table.subarray(500), table]),
    })
    expect([long.status, long.json()['code'], long.json()['field']]).toEqual([409, 'import_offset', 'content-length'])
    expect(await app.uploads.progress(id)).toMatchObject({ state: 'waiting', receivedBytes: 500 })
    const short = await send(`PUT /api/v1/imports/${id}?offset=500`, { body: table.subarray(500, 600) })
    expect([short.status, short.json()['code']]).toEqual([400, 'body_truncated'])
    expect(await ok(`GET /api/v1/imports/${id}`)).toMatchObject({
      state: 'waiting',
      receivedBytes: 600,
      totalBytes: table.length,
    })
    // A rest without a length of its own is refused where it goes past the end.
    const past = Buffer.concat([table.subarray(600), table])
    const chunked = await begin(gateway(), `PUT /api/v1/imports/${id}?offset=600`, past)
    const [answer] = (await once(chunked, 'data')) as [Buffer]
    expect(answer.toString()).toContain('"code":"import_offset"')
    chunked.destroy()
    await turnsUntil(async () => (await app.uploads.progress(id)).state === 'waiting')
    const { receivedBytes } = await app.uploads.progress(id)
    expect(receivedBytes).toBeLessThanOrEqual(table.length)
    const rest = table.subarray(receivedBytes)
    expect(await ok(`PUT /api/v1/imports/${id}?offset=${receivedBytes}`, { body: rest })).toMatchObject({
      inserted: ROWS,
    })
  })

  test('is given up by DELETE, by an abort of its job, and with its namespace', async () => {
    const { ok, send } = gateway()
    const part = table.subarray(0, 1000)
    const one = await breakOff(gateway(), 'set=d&key=id', part)
    expect(await ok(`DELETE /api/v1/imports/${one}`)).toMatchObject({ id: one, state: 'aborted' })
    const two = await breakOff(gateway(), 'set=d&key=id', part)
    await ok(`DELETE /api/v1/jobs/${two}`)
    const three = await breakOff(gateway(), 'set=d&key=id', part)
    await ok(`DELETE /api/v1/namespaces/n`)
    for (const id of [one, two, three]) {
      await gone(gateway(), id)
      for (const line of [
        `GET /api/v1/imports/${id}`,
        `PUT /api/v1/imports/${id}?offset=1000`,
        `DELETE /api/v1/imports/${id}`,
      ]) {
        const answer = await send(line)
        expect([line, answer.status, answer.json()['code']]).toEqual([line, 409, 'job_finished'])
      }
    }
    await gateway().memoryNamespace('n')
  })

  test('of seventeen that wait the first is given up', async () => {
    const { app, ok } = gateway()
    const ids: string[] = []
    for (let i = 0; i < 17; i += 1) ids.push(await breakOff(gateway(), 'set=e&key=id', table.subarray(0, 100)))
    expect(await ok(`GET /api/v1/jobs/${ids[0]}?wait=10s`)).toMatchObject({ state: 'aborted' })
    for (const id of ids.slice(1)) {
      expect((await app.uploads.progress(id)).state).toBe('waiting')
      await ok(`DELETE /api/v1/imports/${id}`)
    }
  })
})

describe('a dry run', () => {
  const gateway = useGateway()

  test('ends when its upload breaks off', async () => {
    const { app, ok } = gateway()
    await gateway().memoryNamespace('n')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = await begin(gateway(), 'POST /api/v1/namespaces/n/import?dryRun=true', table.subarray(0, 1000))
    const id = await newOne(gateway(), [])
    await turnsUntil(async () => (await app.uploads.progress(id)).receivedBytes === 1000)
    socket.destroy()
    expect(await ok(`GET /api/v1/jobs/${id}?wait=10s`)).toMatchObject({ state: 'aborted' })
    await gone(gateway(), id)
  })
})

describe('the tag of an import', () => {
  const gateway = useGateway()

  test('is shown by its job, before the upload is complete and after', async () => {
    const { app, ok, send } = gateway()
    await gateway().memoryNamespace('n')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const tag = `a_B.9-${'x'.repeat(58)}`
    const id = await breakOff(gateway(), `set=a&key=id&tag=${tag}`, table.subarray(0, 1000))
    const other = await breakOff(gateway(), 'set=a&key=id', table.subarray(0, 1000))
    const { items } = await ok<{ items: Job[] }>('GET /api/v1/jobs?kind=import')
    expect(items.filter((job) => job.tag === tag).map((job) => job.id)).toEqual([id])
    expect(await ok(`GET /api/v1/jobs/${other}`)).not.toHaveProperty('tag')
    expect(await ok(`DELETE /api/v1/imports/${id}`)).toMatchObject({ id, tag, state: 'aborted' })
    for (const wrong of ['', 'a%20b', 'a/b', 'x'.repeat(65)]) {
      const answer = await send(`POST /api/v1/namespaces/n/import?tag=${wrong}`, { body: 'id\n1\n', headers: csv })
      expect([wrong, answer.status, answer.json()['field']]).toEqual([wrong, 400, 'tag'])
    }
  })
})

describe('patience', () => {
  const gateway = useGateway({ importPatienceMs: 0, bodyTimeoutMs: 50 })

  test('has an end', async () => {
    const { app, ok } = gateway()
    await gateway().memoryNamespace('n')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = await begin(gateway(), 'POST /api/v1/namespaces/n/import?set=a&key=id', table.subarray(0, 1000))
    const id = await newOne(gateway(), [])
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('"code":"body_timeout"')
    expect(await ok(`GET /api/v1/jobs/${id}?wait=10s`)).toMatchObject({ state: 'aborted' })
    socket.destroy()
  })
})

describe('a restart', () => {
  let directory: string
  let gateway: Gateway

  async function start(overrides: Partial<Config> = {}): Promise<void> {
    const config = { ...readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'silent' }), ...overrides }
    const engine = await openNativeEngine(config)
    await engine.settled()
    gateway = new Gateway(await buildApp({ config, engine, access: new Access(TOKEN) }), directory)
    await gateway.app.listen({ host: '127.0.0.1', port: 0 })
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-'))
    await start()
    const body = { name: 'n', storage: { engine: 'device' }, durability: 'relaxed', segments: 4 }
    await gateway.ok('POST /api/v1/namespaces', { body })
  })
  afterEach(async () => {
    await gateway.app.close()
    await rm(directory, { recursive: true })
  })

  test('passes over what was stored, in a stream that comes again', async () => {
    const bad = Buffer.from(table.toString().replace('\n7,', '\n7,one too many,'))
    const most = Math.floor(bad.length * 0.8)
    const id = await breakOff(gateway, 'set=a&key=id&mode=insert', bad.subarray(0, most))
    await turnsUntil(async () => (await gateway.app.uploads.progress(id)).storedRows > 0)
    await gateway.app.close()
    await start()
    const { ok, send } = gateway
    const before = await ok<ImportProgress>(`GET /api/v1/imports/${id}`)
    expect(before).toMatchObject({ namespace: 'n', set: 'a', state: 'interrupted', receivedBytes: 0 })
    expect(before.storedRows).toBeGreaterThan(0)
    expect(await ok('GET /api/v1/namespaces/n/size?set=a')).toMatchObject({ records: before.storedRows })
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ state: 'failed', error: { code: 'closed' } })

    const wrong = await send(`PUT /api/v1/imports/${id}?offset=${most}`, { body: bad.subarray(most) })
    expect([wrong.status, wrong.json()['code']]).toEqual([409, 'import_offset'])
    const report = await ok<ImportReport>(`PUT /api/v1/imports/${id}?offset=0`, { body: bad })
    expect(report).toMatchObject({
      jobId: id,
      rows: ROWS,
      inserted: ROWS - 1,
      rejectedTotal: 1,
      rejected: [{ line: 9, code: 'csv_invalid' }],
      rejectFile: { rows: 1, cutShort: false },
    })
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ state: 'done' })
    expect((await readdir(join(directory, 'imports'))).toSorted()).toEqual([`${id}.header`, `${id}.rejects.ndjson`])
  })

  test('does not bring back what was given up: if its journal cannot go, the upload waits on', async () => {
    const { app, ok, send } = gateway
    const half = Math.floor(table.length / 2)
    const id = await breakOff(gateway, 'set=d&key=id', table.subarray(0, half))
    const journal = join(directory, 'imports', `${id}.json`)
    await turnsUntil(() => Promise.resolve(existsSync(journal)))
    // A folder cannot be removed as a file is: as on a file system that was remounted read-only, for root too.
    renameSync(journal, `${journal}.kept`)
    mkdirSync(journal)
    const refused = await send(`DELETE /api/v1/imports/${id}`)
    expect([refused.status, refused.json()]).toMatchObject([503, { code: 'data_directory_unavailable' }])
    expect(await ok(`GET /api/v1/imports/${id}`)).toMatchObject({ state: 'waiting', receivedBytes: half })
    expect(app.engine.job(id)).toMatchObject({ state: 'paused' })
    rmdirSync(journal)
    renameSync(`${journal}.kept`, journal)
    expect(await ok(`DELETE /api/v1/imports/${id}`)).toMatchObject({ id, state: 'aborted' })
    expect(existsSync(journal)).toBe(false)
    await gone(gateway, id)
    const after = await send(`GET /api/v1/imports/${id}`)
    expect([after.status, after.json()['code']]).toEqual([409, 'job_finished'])
  })

  test('does not go on in another namespace of the same name', async () => {
    const id = await breakOff(gateway, 'set=a&key=id', table.subarray(0, 1000))
    await gateway.app.close()
    await start()
    const { ok, send } = gateway
    await ok('DELETE /api/v1/namespaces/n')
    const absent = await send(`PUT /api/v1/imports/${id}?offset=0`, { body: table })
    expect([absent.status, absent.json()['code']]).toEqual([404, 'namespace_not_found'])
    await ok('POST /api/v1/namespaces', { body: { name: 'n', storage: { engine: 'device' }, segments: 4 } })
    const other = await send(`PUT /api/v1/imports/${id}?offset=0`, { body: table })
    expect([other.status, other.json()['code']]).toEqual([404, 'import_not_found'])
    expect(await ok('GET /api/v1/namespaces/n/size')).toMatchObject({ records: 0 })
  })

  test('refuses another stream, and forgets what is given up', async () => {
    const most = table.subarray(0, Math.floor(table.length * 0.8))
    const ids = [await breakOff(gateway, 'set=a&key=id', most), await breakOff(gateway, 'set=b&key=id', most)]
    for (const id of ids) await turnsUntil(async () => (await gateway.app.uploads.progress(id)).storedRows > 0)
    await gateway.app.close()
    await start()
    const { ok, send } = gateway
    const other = Buffer.from(table.toString().replaceAll('x', 'y'))
    const refused = await send(`PUT /api/v1/imports/${ids[0]}?offset=0`, { body: other })
    expect([refused.status, refused.json()['code']]).toEqual([409, 'import_changed'])
    // A wrong stream costs nothing: the right one goes on.
    expect(await ok(`GET /api/v1/imports/${ids[0]}`)).toMatchObject({ state: 'interrupted' })
    expect(await ok(`PUT /api/v1/imports/${ids[0]}?offset=0`, { body: table })).toMatchObject({ rows: ROWS })
    expect(await ok(`DELETE /api/v1/imports/${ids[1]}`)).toMatchObject({ id: ids[1], state: 'failed' })
    for (const id of ids) {
      const answer = await send(`GET /api/v1/imports/${id}`)
      expect([answer.status, answer.json()['code']]).toEqual([409, 'job_finished'])
    }
  })
})

describe('rejects', () => {
  const gateway = useGateway()

  test('are kept with their rows, to be mended and loaded again', async () => {
    const { ok, send } = gateway()
    await gateway().memoryNamespace('n')
    const body = 'id,v\n1,a\n2,b,too many\n3,"c\nd",too many\n1,again\n'
    const report = await ok<ImportReport>('POST /api/v1/namespaces/n/import?set=r&key=id&mode=insert&threads=1', {
      body,
      headers: csv,
    })
    expect(report.rejectedByCode).toEqual({ csv_invalid: 2, record_exists: 1 })
    expect(report.rejectFile).toMatchObject({ rows: 3, cutShort: false })
    const lines = await send(`GET /api/v1/jobs/${report.jobId}/rejects`)
    expect(lines.headers['content-type']).toBe('application/x-ndjson')
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { line: 3, code: 'csv_invalid', row: '2,b,too many' },
      { line: 4, code: 'csv_invalid', row: '3,"c\nd",too many' },
      { line: 6, code: 'record_exists', row: '1,again' },
    ])
    const rows = await send(`GET /api/v1/jobs/${report.jobId}/rejects?form=rows`)
    expect(rows.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${report.jobId}.rejects.csv"`,
    })
    const mended = rows.text.replaceAll(',too many', '')
    expect(await ok('POST /api/v1/namespaces/n/import?set=r&key=id', { body: mended, headers: csv })).toMatchObject({
      inserted: 2,
      updated: 1,
    })
  })

  test('of a dry run are told, twenty of them, and not kept', async () => {
    const { ok, send } = gateway()
    const body = Array.from({ length: 30 }, (_, i) => `{"n":${i}`).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const report = await ok<ImportReport>('POST /api/v1/namespaces/n/import?set=dry&dryRun=true', { body, headers })
    expect(report.rejected).toHaveLength(20)
    expect(report).toMatchObject({ rejectedTotal: 30, rejectedByCode: { json_invalid: 30 } })
    expect(report.rejected[0]).toMatchObject({ line: 1, code: 'json_invalid', row: '{"n":0' })
    const none = await send(`GET /api/v1/jobs/${report.jobId}/rejects`)
    expect([none.status, none.json()['code']]).toEqual([404, 'rejects_not_found'])
  })

  test('rows without the distribution bin are counted', async () => {
    const { ok } = gateway()
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = '{"key":1,"r":1}\n{"key":2}\n'
    const report = await ok('POST /api/v1/namespaces/n/import?set=routed&distributionBin=r', { body, headers })
    expect(report).toMatchObject({ rows: 2, withoutRoute: 1 })
  })
})
