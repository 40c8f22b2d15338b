// Every kind of job is aborted over HTTP while it runs. Then the store works, and nothing half-made is left. A kind that
// is new in the schema fails here until it has a row.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { JobKind } from '../../src/schemas/jobs/jobs.js'
import type { Backup } from '../../src/schemas/namespaces/backups.js'
import { bearer, TOKEN, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

interface Started {
  id: string
  state: string
  kind: string
  parameters: Record<string, unknown>
}

interface Row {
  /** Starts the job. */
  start: () => Promise<Started>
  /** Nothing slows this kind down, so it is paused before it has ended. */
  paused?: true
  /** Looks at what is left, and removes it. */
  left: (job: Started) => Promise<void>
}

const NS = '/api/v1/namespaces'
const JOBS = '/api/v1/jobs'
/** More than a set index takes on the calling thread. */
const RECORDS = 60_000
const FEW = 400
const ndjson = { accept: 'application/x-ndjson', 'content-type': 'application/json' }

describe('an abort', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const ok = <T = Started>(line: string, body?: object): Promise<T> =>
    gateway().ok<T>(line, body === undefined ? {} : { body })
  const codeOf = async (line: string) => (await gateway().send(line)).json()['code']
  const items = async (line: string) => (await ok<{ items: unknown[] }>(line)).items
  const countOf = async (name: string) =>
    (await ok<{ result: { records: number } }>(`POST ${JOBS}?wait=60s`, { kind: 'count', namespace: name, set: 's' }))
      .result.records
  const port = () => (gateway().app.server.address() as AddressInfo).port

  beforeAll(async () => {
    await gateway().app.listen({ host: '127.0.0.1', port: 0 })
    await ok(`POST ${NS}`, { name: 'n', storage: { engine: 'memory' }, segments: 4096 })
    await fill('n', RECORDS)
    await ok(`POST ${NS}`, { name: 'few', storage: { engine: 'memory' }, segments: 4 })
    await fill('few', FEW)
    const disk = { engine: 'device', writeBlockBytes: 16_384, postWriteCacheBytes: 0 }
    await ok(`POST ${NS}`, { name: 'disk', storage: disk, durability: 'commit', maxRecordBytes: 8192 })
    await fill('disk', 20_000)
    const pages = { engine: 'paged', pageBytes: 4096, cacheBytes: 8_388_608, checkpointLogBytes: 75_497_472 }
    await ok(`POST ${NS}`, { name: 'pages', storage: pages, segments: 256, durability: 'relaxed' })
    await fill('pages', 20_000)
  })

  async function fill(name: string, records: number): Promise<void> {
    const lines = Array.from({ length: records }, (_, i) => `{"i":${i},"pad":"${'x'.repeat(80)}"}`)
    const report = await gateway().ok(`POST ${NS}/${name}/import?set=s&key=i`, {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(report).toMatchObject({ inserted: records })
  }

  /** The answers that are being read. */
  const answers = new Map<string, Response>()

  /** Asks for an answer that is not read yet: the job of it. */
  async function asked(line: string, body?: object): Promise<Started> {
    const [method = '', path = ''] = line.split(' ')
    const send = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`http://127.0.0.1:${port()}${path}`, {
      method,
      headers: { ...bearer, ...ndjson },
      ...send,
    })
    const id = answer.headers.get('x-job-id') ?? ''
    answers.set(id, answer)
    return ok(`GET ${JOBS}/${id}`)
  }

  /** The reader of the answer is told that it is not whole. */
  async function brokenOff({ id }: Started): Promise<void> {
    await expect(answers.get(id)?.text()).rejects.toThrow('terminated')
  }

  /** An upload that never ends. */
  async function uploaded(): Promise<Started> {
    const socket = connect(port(), '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const head = `POST ${NS}/few/import?set=half&key=i HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n`
    socket.write(`${head}content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"i":1}\n\r\n`)
    const running = () => items(`GET ${JOBS}?kind=import&state=running`) as Promise<Started[]>
    await turnsUntil(async () => (await running()).length === 1)
    const [job] = await running()
    if (job === undefined) throw new Error('no import runs')
    return job
  }

  /** A whole backup of `few`, once. */
  let made: Promise<string> | undefined
  const backup = (): Promise<string> =>
    (made ??= ok(`POST ${NS}/n/backups?wait=60s`, {}).then(({ parameters }) => String(parameters['backup'])))

  const scanned = { set: 's', threads: 1, recordsPerSecond: 1 }

  const rows: Record<(typeof JobKind)['enum'][number], Row> = {
    'index-build': {
      start: async () => {
        await gateway().send(`DELETE ${NS}/n/indexes/by-pad`)
        return ok(`POST ${NS}/n/indexes`, { name: 'by-pad', set: 's', bin: 'pad', kind: 'range', threads: 1 })
      },
      paused: true,
      left: async () => expect(await items(`GET ${NS}/n/indexes`)).toEqual([]),
    },
    'set-index-build': {
      start: async () => {
        await gateway().send(`PATCH ${NS}/n/sets/s`, { body: { index: false } })
        return ok(`PATCH ${NS}/n/sets/s`, { index: true, threads: 1 })
      },
      paused: true,
      left: async () => expect(await ok(`GET ${NS}/n/sets/s`)).toMatchObject({ index: { state: 'off' } }),
    },
    scan: { start: () => asked(`POST ${NS}/n/scan`, scanned), left: brokenOff },
    count: { start: () => ok(`POST ${JOBS}`, { kind: 'count', namespace: 'n', ...scanned }), left: async () => {} },
    query: { start: () => asked(`POST ${NS}/n/query`, { set: 's' }), paused: true, left: brokenOff },
    stream: { start: () => asked(`POST ${NS}/n/stream`, { ...scanned, steps: [] }), left: brokenOff },
    import: {
      start: uploaded,
      left: async ({ id }) => {
        // What was taken stays; nothing waits for the rest.
        expect(await codeOf(`GET /api/v1/imports/${id}`)).toBe('job_finished')
      },
    },
    export: { start: () => asked(`GET ${NS}/n/export`), paused: true, left: brokenOff },
    truncate: {
      // The job that undoes it looks at all records again.
      start: () => ok(`DELETE ${NS}/n/sets/s`),
      left: async ({ id }) => {
        expect(await ok(`POST ${NS}/n/truncations/${id}/undo?wait=60s`)).toMatchObject({ state: 'done' })
      },
    },
    workload: {
      start: async () => {
        const load = { namespace: 'few', keys: 100, targetTps: 10, durationSeconds: 3600 }
        return ok(`GET ${JOBS}/${(await ok('POST /api/v1/workloads', load)).id}`)
      },
      left: async ({ id }) => {
        expect(await ok(`GET /api/v1/workloads/${id}`)).toMatchObject({ state: 'aborted' })
        await ok(`DELETE /api/v1/workloads/${id}`)
      },
    },
    scrub: {
      start: () => ok(`POST ${JOBS}`, { kind: 'scrub', namespace: 'disk', bytesPerSecond: 1 }),
      left: async () => expect(await countOf('disk')).toBe(20_000),
    },
    calibrate: {
      start: () => ok(`POST ${JOBS}`, { kind: 'calibrate', namespace: 'disk' }),
      paused: true,
      left: async () => {
        const { costs } = await ok<{ costs: object }>(`POST ${NS}/disk/scan`, { explain: true })
        expect(costs).not.toHaveProperty('measuredAt')
      },
    },
    compaction: {
      start: () => ok(`POST ${JOBS}`, { kind: 'compaction', namespace: 'pages' }),
      paused: true,
      left: async () => expect(await countOf('pages')).toBe(20_000),
    },
    migrate: {
      start: () => ok(`POST ${NS}/few/migrate`, { segments: 8, recordsPerSecond: 1, threads: 1 }),
      left: async () => {
        expect(await ok(`GET ${NS}/few/migration`)).toMatchObject({ phase: 'failed', failure: { code: 'aborted' } })
        expect(await ok(`POST ${NS}/few/migration/abandon`)).toMatchObject({ config: { segments: 4 } })
        expect(await countOf('few')).toBe(FEW)
      },
    },
    backup: {
      start: () => ok(`POST ${NS}/few/backups`, { recordsPerSecond: 1 }),
      left: async ({ parameters }) => {
        const id = String(parameters['backup'])
        expect(await ok<Backup>(`GET /api/v1/backups/${id}`)).toMatchObject({ state: 'unfinished' })
        await ok(`DELETE /api/v1/backups/${id}`)
      },
    },
    restore: {
      start: async () => ok(`POST /api/v1/backups/${await backup()}/restore`, { namespace: 'y', recordsPerSecond: 1 }),
      left: async () => {
        expect(await codeOf(`GET ${NS}/y`)).toBe('namespace_not_found')
        expect(await items('GET /api/v1/orphans')).toEqual([])
      },
    },
    verify: {
      start: async () => ok(`POST /api/v1/backups/${await backup()}/verify`, { threads: 1 }),
      paused: true,
      left: async () => expect(await ok(`GET /api/v1/backups/${await backup()}`)).toMatchObject({ state: 'complete' }),
    },
  }

  /** A job that has not ended. One that had, before it could be paused, is begun anew. */
  async function running({ start, paused }: Row): Promise<Started> {
    for (;;) {
      const job = await start()
      if (paused === undefined) return job
      const answer = await gateway().send(`PATCH ${JOBS}/${job.id}`, { body: { paused: true } })
      if (answer.status === 200) return answer.json<Started>()
      expect(answer.json()).toMatchObject({ code: 'job_finished' })
    }
  }

  /** Aborts a job. One that came to its end meanwhile, though it was paused on its last records, is begun anew. */
  async function abort(row: Row, look: (job: Started) => void | Promise<void>): Promise<Started> {
    for (;;) {
      const job = await running(row)
      await look(job)
      const answer = await gateway().send(`DELETE ${JOBS}/${job.id}`)
      if (answer.status === 200) return job
      expect(answer.json()).toMatchObject({ code: 'job_finished' })
    }
  }

  test('is tested with every kind', () => {
    expect(Object.keys(rows).toSorted()).toEqual(JobKind.enum.toSorted())
  })

  test('of a truncation is refused: its records are gone at once, and an undo brings them back', async () => {
    const { start, left } = rows.truncate
    for (;;) {
      const job = await start()
      const answer = (await gateway().send(`DELETE ${JOBS}/${job.id}`)).json()
      const ended = await ok(`GET ${JOBS}/${job.id}?wait=60s`)
      expect(ended).toMatchObject({ kind: 'truncate', state: 'done' })
      expect(await countOf('n')).toBe(0)
      await left(ended)
      expect(await countOf('n')).toBe(RECORDS)
      if (answer['code'] === 'unsupported') return
      // It had ended before.
      expect(answer).toMatchObject({ code: 'job_finished' })
    }
  })

  test.each(['n', 'disk', 'pages'])('of an index build gives its space back, in the namespace %s', async (name) => {
    const held = async () => {
      const { memory } = await ok<{ memory: { documentIndexes: number } }>(`GET ${NS}/${name}`)
      const indexes = await items(`GET ${NS}/${name}/indexes`)
      const files = await readdir(gateway().directory, { recursive: true })
      return {
        bytes: memory.documentIndexes,
        indexes,
        files: files.filter((file) => file.startsWith('namespaces')).sort(),
      }
    }
    const before = await held()
    const build: Row = {
      start: async () => {
        await gateway().send(`DELETE ${NS}/${name}/indexes/whole`)
        return ok(`POST ${NS}/${name}/indexes`, { name: 'whole', set: 's', kind: 'document', threads: 1 })
      },
      paused: true,
      left: async () => {},
    }
    const { id } = await abort(build, async () => expect((await held()).indexes).toHaveLength(1))
    expect(await ok(`GET ${JOBS}/${id}?wait=60s`)).toMatchObject({ state: 'aborted' })
    expect(await held()).toEqual(before)
  })

  test.each(JobKind.enum.filter((kind) => kind !== 'truncate'))('ends a job of the kind %s', async (kind) => {
    const row = rows[kind]
    const state = row.paused === undefined ? 'running' : 'paused'
    const job = await abort(row, (found) => expect(found).toMatchObject({ kind, state }))
    const ended = await ok<Started>(`GET ${JOBS}/${job.id}?wait=60s`)
    expect(ended).toMatchObject({ kind, state: 'aborted', endedAt: expect.any(String) as string })
    expect(ended).not.toHaveProperty('result')
    expect(await codeOf(`DELETE ${JOBS}/${job.id}`)).toBe('job_finished')
    await row.left(ended)
    // The store works.
    expect(await items(`GET ${JOBS}?state=running`)).toEqual([])
    expect(await countOf('n')).toBe(RECORDS)
    await gateway().put('n/sets/after/records/1', { kind })
    expect(await ok(`GET ${NS}/n/sets/after/records/1`)).toMatchObject({ bins: { kind } })
  })
})
