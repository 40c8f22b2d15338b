// Saved queries, the query history and runs of the lab: what is damaged is told and set aside, and stops no start.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ObjectFiles } from '../src/files/object-files.js'
import { useGateway } from './gateway.js'

interface Notices {
  gatewayNotices: { code: string; message: string }[]
}

const query = {
  name: 'mine',
  namespace: 'n',
  request: '{"set":"s"}',
  createdAt: '2026-11-26T12:00:00.000Z',
  updatedAt: '2026-11-26T12:00:00.000Z',
  who: 'token',
}
const pipe = (path: string) => void execFileSync('mkfifo', [path])
const lie: Record<string, (path: string) => void> = {
  cut: (path) => writeFileSync(path, '{"id":"cut","na'),
  empty: (path) => writeFileSync(path, ''),
  other: (path) => writeFileSync(path, JSON.stringify({ id: 'whole', ...query })),
  wrong: (path) => writeFileSync(path, JSON.stringify({ id: 'wrong', ...query, request: 7 })),
  folder: (path) => mkdirSync(path),
  link: (path) => symlinkSync('nowhere', path),
  huge: (path) => (writeFileSync(path, ''), truncateSync(path, 2 ** 31)),
  pipe,
}

describe('damaged files', () => {
  const gateway = useGateway({}, undefined, (directory) => {
    for (const folder of ['queries', 'lab']) mkdirSync(join(directory, folder))
    writeFileSync(join(directory, 'queries', 'whole.json'), JSON.stringify({ id: 'whole', ...query }))
    for (const [id, make] of Object.entries(lie)) make(join(directory, 'queries', `${id}.json`))
    pipe(join(directory, 'queries', 'history.ndjson'))
    pipe(join(directory, 'lab', 'run.json'))
    return Promise.resolve()
  })

  test('stop no start, are told, and are kept', async () => {
    const { ok, directory } = gateway()
    expect(await ok('GET /api/v1/queries')).toMatchObject({ items: [{ id: 'whole', ...query }] })
    expect(await ok('GET /api/v1/lab/runs')).toMatchObject({ items: [] })
    expect(await ok('GET /api/v1/queries/history')).toMatchObject({ items: [] })
    const { gatewayNotices } = await ok<Notices>('GET /api/v1/status')
    const told = gatewayNotices.map(({ code, message }) => [code, /^[a-z ]+/.exec(message)?.[0]])
    expect(told).toEqual([
      ['queries_damaged', 'saved queries are lost'],
      ['queries_damaged', 'the query history is lost'],
      ['lab_damaged', 'runs of the lab are lost'],
    ])
    expect(gatewayNotices[0]?.message).toContain(
      'wrong.json is damaged: its content is not what it should be; it is kept',
    )
    expect(gatewayNotices[0]?.message).toContain('; and 5 more')
    const kept = Object.keys(lie).map((id) => `${id}.json.damaged`)
    expect(readdirSync(join(directory, 'queries')).sort()).toEqual(
      [...kept, 'whole.json', 'history.ndjson.damaged'].sort(),
    )
    expect(readFileSync(join(directory, 'queries', 'cut.json.damaged'), 'utf8')).toBe('{"id":"cut","na')
    expect(lstatSync(join(directory, 'lab', 'run.json.damaged')).isFIFO()).toBe(true)
  })

  test('a query that cannot be written is refused and not kept', async () => {
    const { send, ok, directory } = gateway()
    const folder = join(directory, 'queries')
    await rename(folder, `${folder}.gone`)
    await writeFile(folder, 'no folder')
    const body = { name: 'other', namespace: 'n', request: '{"set":"s"}' }
    const answer = await send('POST /api/v1/queries', { body })
    expect([answer.status, answer.json()['code']]).toEqual([503, 'data_directory_unavailable'])
    expect(await ok('GET /api/v1/queries')).toMatchObject({ items: [{ id: 'whole' }] })
    await rm(folder)
    // What fails last, when the file is written already.
    const files = new ObjectFiles(folder, 1, (object): object is { id: string } => object !== null)
    mkdirSync(join(folder, 'taken.json'), { recursive: true })
    await expect(files.save({ id: 'taken' })).rejects.toMatchObject({ code: 'data_directory_unavailable' })
    expect(readdirSync(folder)).toEqual(['taken.json'])
    await rm(folder, { recursive: true })
    await rename(`${folder}.gone`, folder)
    expect((await send('POST /api/v1/queries', { body })).status).toBe(201)
    expect(existsSync(join(folder, 'whole.json'))).toBe(true)
  })
})

describe('a damaged line of the query history', () => {
  const line = { id: 'a', at: query.createdAt, namespace: 'n', request: '{}', ms: 1 }
  const gateway = useGateway({}, undefined, (directory) => {
    mkdirSync(join(directory, 'queries'))
    writeFileSync(join(directory, 'queries', 'history.ndjson'), `{"id":"b"\n${JSON.stringify(line)}\n`)
    return Promise.resolve()
  })

  test('is told in the status, and costs that line only', async () => {
    const { ok, directory } = gateway()
    const { gatewayNotices } = await ok<Notices>('GET /api/v1/status')
    const path = join(directory, 'queries', 'history.ndjson')
    expect(gatewayNotices.map(({ code, message }) => [code, message])).toEqual([
      [
        'queries_damaged',
        `a part of the query history is lost: ${path} is damaged in line 1; it is kept as ${path}.damaged`,
      ],
    ])
    expect(await ok('GET /api/v1/queries/history')).toMatchObject({ items: [line] })
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('{"id":"b"\n')
  })
})
