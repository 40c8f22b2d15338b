// The lists of jobs and of benchmark runs: filters, pages, and what a start does with their files.
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface List {
  items: { id: string; kind: string; state: string; namespace: string; createdAt: string }[]
  truncated: boolean
  cursor?: string
  limit: number
}

interface Status {
  startedAt: string
  jobHistory: { bytes: number; mostBytes: number; damaged: number; unreadable: string[] }
  gatewayNotices: { code: string; message: string; since: string }[]
}

describe('GET /api/v1/jobs', () => {
  const gateway = useGateway()
  const list = (query = ''): Promise<List> => gateway().ok<List>(`GET /api/v1/jobs?${query}`)
  const kinds = async (query: string): Promise<string[]> => (await list(query)).items.map(({ kind }) => kind)
  const start = (kind: string, namespace: string): Promise<{ id: string; createdAt: string }> =>
    gateway().ok('POST /api/v1/jobs?wait=30s', { body: { kind, namespace } })

  test('is filtered by kinds, states, namespace and time', async () => {
    for (const name of ['a', 'b']) await gateway().memoryNamespace(name)
    await start('scan', 'a')
    await start('count', 'b')
    const { createdAt } = await start('truncate', 'a')
    expect(await kinds('')).toEqual(['truncate', 'count', 'scan'])
    expect(await kinds('kind=scan')).toEqual(['scan'])
    expect(await kinds('kind=scan,truncate,import')).toEqual(['truncate', 'scan'])
    expect(await kinds('state=done,failed&namespace=b')).toEqual(['count'])
    expect(await kinds('state=running,queued,paused')).toEqual([])
    const at = encodeURIComponent(createdAt)
    expect(await kinds(`from=${at}`)).toContain('truncate')
    expect(await kinds(`to=${at}`)).not.toContain('truncate')
    expect(await kinds('from=1969-01-01T00:00:00Z&to=1970-01-01T00:00:00Z')).toEqual([])
    expect(await kinds('kind=scan&namespace=b')).toEqual([])
  })

  test('comes in pages that follow each other, whatever comes and ends between them', async () => {
    for (let i = 0; i < 20; i += 1) await start(i % 4 === 0 ? 'truncate' : 'count', 'a')
    const all = (await list()).items.map(({ id }) => id)
    const seen: string[] = []
    let [page, pages] = [await list('limit=6'), 0]
    expect(page).toMatchObject({ truncated: true, limit: 6 })
    for (;;) {
      seen.push(...page.items.map(({ id }) => id))
      pages += 1
      if (page.cursor === undefined) break
      await start('count', 'a')
      page = await list(`limit=6&cursor=${page.cursor}`)
    }
    expect([seen, pages, page.truncated]).toEqual([all, 4, false])
    const some = await list('kind=truncate&limit=4')
    const rest = await list(`kind=truncate&limit=4&cursor=${some.cursor}`)
    expect([some, rest].map(({ items }) => items.map(({ kind }) => kind))).toEqual([
      Array<string>(4).fill('truncate'),
      Array<string>(2).fill('truncate'),
    ])
  })
})

describe('a page that browses records', () => {
  const gateway = useGateway()

  test('evicts no truncation', async () => {
    const { ok, app } = gateway()
    await gateway().memoryNamespace('n')
    const { id } = await ok<{ id: string }>('POST /api/v1/jobs?wait=30s', {
      body: { kind: 'truncate', namespace: 'n' },
    })
    for (let i = 0; i < 12_000; i += 1) {
      const stream = await app.engine.scan('n', { threads: 1, shape: 'record' })
      while ((await stream.next()) !== null);
    }
    expect(await ok(`GET /api/v1/jobs/${id}`)).toMatchObject({ kind: 'truncate', state: 'done' })
    expect((await ok<List>('GET /api/v1/jobs?kind=truncate')).items).toHaveLength(1)
    let [scans, cursor] = [0, '']
    for (;;) {
      const page = await ok<List>(`GET /api/v1/jobs?kind=scan${cursor}`)
      scans += page.items.length
      if (page.cursor === undefined) break
      cursor = `&cursor=${page.cursor}`
    }
    expect(scans).toBe(10_000)
    const directory = gateway().directory
    await expect.poll(async () => (await readFile(join(directory, 'jobs.log'))).length).toBeGreaterThan(0)
  })
})

describe('GET /api/v1/workloads', () => {
  const gateway = useGateway()

  test('is filtered by states, namespace and time', async () => {
    const { ok } = gateway()
    const runs = async (query: string) =>
      (await ok<{ items: { id: string }[] }>(`GET /api/v1/workloads?${query}`)).items.map(({ id }) => id)
    const ids: string[] = []
    for (const namespace of ['a', 'b']) {
      await gateway().memoryNamespace(namespace)
      const body = { namespace, keys: 10, threads: 1, operations: 20 }
      ids.unshift((await ok<{ id: string }>('POST /api/v1/workloads?wait=30s', { body })).id)
    }
    expect(await runs('')).toEqual(ids)
    expect(await runs('namespace=a')).toEqual([ids[1]])
    expect(await runs('state=done,failed')).toEqual(ids)
    expect(await runs('state=aborted')).toEqual([])
    expect(await runs('from=2999-01-01T00:00:00Z')).toEqual([])
    expect(await runs('to=2999-01-01T00:00:00Z')).toEqual(ids)
  })
})

describe('files that cannot be read', () => {
  const gateway = useGateway({}, undefined, async (directory) => {
    await writeFile(join(directory, 'jobs.log'), 'no log at all, but long enough for one')
    await writeFile(join(directory, 'jobs.json'), 'of an earlier build')
    await mkdir(join(directory, 'workloads'))
    await writeFile(join(directory, 'workloads', '001m87358ts00.ndjson'), 'no run at all\n')
  })

  test('stop no start, and are told', async () => {
    const { ok } = gateway()
    expect(await ok('GET /api/v1/jobs')).toMatchObject({ items: [] })
    expect(await ok('GET /api/v1/workloads')).toMatchObject({ items: [] })
    const { jobHistory, gatewayNotices, startedAt } = await ok<Status>('GET /api/v1/status')
    expect(jobHistory.unreadable).toEqual([
      expect.stringContaining('jobs.log: no job in it can be read; it is jobs.log.damaged now'),
      expect.stringContaining('001m87358ts00.ndjson: its first line is damaged'),
    ])
    const message = expect.stringContaining('jobs and benchmark runs is not shown') as string
    expect(gatewayNotices).toMatchObject([{ code: 'jobs_damaged', message, since: startedAt }])
  })
})

describe('a history of jobs that is gone, though 5,400 bytes were on the disk', () => {
  const gateway = useGateway({}, undefined, async (directory) => {
    await writeFile(join(directory, 'jobs.log.synced'), Buffer.from('54734a731815000000000000ad375992', 'hex'))
  })

  test('is told', async () => {
    const { jobHistory, gatewayNotices } = await gateway().ok<Status>('GET /api/v1/status')
    const lost = expect.stringContaining(
      'jobs.log: it was cut: jobs end at byte 0, and 5400 bytes were on the disk',
    ) as string
    expect({ jobHistory, gatewayNotices }).toMatchObject({
      jobHistory: { unreadable: [lost] },
      gatewayNotices: [{ code: 'jobs_damaged', message: lost }],
    })
  })
})

describe.each<[string, (path: string) => Promise<unknown>]>([
  ['a pipe', (path) => promisify(execFile)('mkfifo', [path])],
  ['a folder', (path) => mkdir(path)],
  ['a link to nothing', (path) => symlink('nowhere', path)],
])('%s in the place of the history of jobs', (_what, make) => {
  const gateway = useGateway({}, undefined, async (directory) => {
    await make(join(directory, 'jobs.log'))
  })

  test('stops no start, is told and put aside, and jobs are kept again', async () => {
    const { ok, directory } = gateway()
    const { jobHistory, gatewayNotices } = await ok<Status>('GET /api/v1/status')
    expect(jobHistory.unreadable).toEqual([expect.stringMatching(/jobs\.log: it is no regular file; it is/)])
    expect(gatewayNotices).toMatchObject([{ code: 'jobs_damaged' }])
    await gateway().memoryNamespace('n')
    const { id } = await ok<{ id: string }>('POST /api/v1/jobs?wait=30s', { body: { kind: 'scan', namespace: 'n' } })
    const log = (): Promise<string> => readFile(join(directory, 'jobs.log'), 'latin1').catch(() => '')
    await expect.poll(log).toContain(id)
  })
})
