// Saved queries and the history of the console: kept word for word, over restarts too.
import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { QueryHistory } from '../../src/queries/history.js'
import { exactText } from '../../src/queries/note.js'
import { SavedQueries } from '../../src/queries/saved.js'
import type { RanQuery, SavedQuery } from '../../src/schemas/records/queries.js'
import { type Answer, useGateway } from '../gateway.js'

/** Its number has more digits than a double keeps. */
const exact = '{"set":"s","where":{"bin":"i","op":"eq","value":9007199254740993},"limit":5}'

interface Items<T> {
  items: T[]
  truncated: boolean
  cursor?: string
}

describe('saved queries', () => {
  const gateway = useGateway()
  const saved = { name: 'mine', namespace: 'n', request: exact }

  test('are created, listed by namespace, read, replaced and removed', async () => {
    const { send, ok } = gateway()
    const created = await send('POST /api/v1/queries', { body: saved })
    expect(created.status).toBe(201)
    const query = created.json<SavedQuery>()
    expect(query).toMatchObject({ ...saved, who: 'token' })
    const place = created.headers['location'] as string
    expect(place).toBe(`/api/v1/queries/${query.id}`)
    const other = await ok<SavedQuery>('POST /api/v1/queries', { body: { ...saved, namespace: 'm' } })

    const list = await ok<Items<SavedQuery>>('GET /api/v1/queries')
    expect(list.items.map(({ id }) => id).sort()).toEqual([other.id, query.id].sort())
    expect((await ok<Items<SavedQuery>>('GET /api/v1/queries?namespace=m')).items).toEqual([other])
    const first = await ok<Items<SavedQuery>>('GET /api/v1/queries?limit=1')
    const second = await ok<Items<SavedQuery>>(`GET /api/v1/queries?limit=1&cursor=${first.cursor}`)
    expect([first.truncated, second.truncated]).toEqual([true, false])
    expect([...first.items, ...second.items]).toEqual(list.items)

    const replaced = await send(`PUT ${place}`, { body: { ...saved, name: 'ours' } })
    expect(replaced.json<SavedQuery>()).toMatchObject({ id: query.id, name: 'ours', createdAt: query.createdAt })
    expect((await send(`GET ${place}`)).json()).toEqual(replaced.json())
    expect((await send(`DELETE ${place}`)).status).toBe(200)
    expect((await send(`GET ${place}`)).status).toBe(404)
  })

  test('a change of what someone else has changed is refused', async () => {
    const { send, ok } = gateway()
    const { id } = await ok<SavedQuery>('POST /api/v1/queries', { body: saved })
    const etag = (await send(`GET /api/v1/queries/${id}`)).headers['etag'] as string
    const mine = { body: { ...saved, name: 'a' }, headers: { 'if-match': etag } }
    expect((await send(`PUT /api/v1/queries/${id}`, mine)).status).toBe(200)
    const late = await send(`PUT /api/v1/queries/${id}`, { ...mine, body: { ...saved, name: 'b' } })
    expect(late.status).toBe(412)
    expect((await send(`DELETE /api/v1/queries/${id}`, { headers: { 'if-match': etag } })).status).toBe(412)
    expect(await ok(`GET /api/v1/queries/${id}`)).toMatchObject({ name: 'a' })
  })

  test('have a name of their own in their namespace', async () => {
    const { send, ok } = gateway()
    const wanted = { ...saved, name: 'one of its kind' }
    const { id } = await ok<SavedQuery>('POST /api/v1/queries', { body: wanted })
    const refused = (answer: Answer): void => {
      expect([answer.status, answer.json<{ code: string; field: string }>()]).toMatchObject([
        409,
        { code: 'query_exists', field: 'name' },
      ])
    }
    refused(await send('POST /api/v1/queries', { body: wanted }))
    const other = await ok<SavedQuery>('POST /api/v1/queries', { body: { ...wanted, namespace: 'm' } })
    refused(await send(`PUT /api/v1/queries/${other.id}`, { body: wanted }))
    expect(await ok(`PUT /api/v1/queries/${id}`, { body: { ...wanted, request: '{}' } })).toMatchObject({
      request: '{}',
    })
    await ok(`DELETE /api/v1/queries/${id}`)
    await ok(`PUT /api/v1/queries/${other.id}`, { body: wanted })
  })

  test('outlive the process, newest first', async () => {
    await gateway().ok('POST /api/v1/queries', { body: { ...saved, name: 'last' } })
    const { items } = await gateway().ok<Items<SavedQuery>>('GET /api/v1/queries')
    const again = new SavedQueries(gateway().directory, gateway().app.engine)
    await again.load()
    expect(again.list()).toEqual(items)
    expect(items[0]?.name).toBe('last')
  })
})

describe('the history', () => {
  const gateway = useGateway()
  const sessions: Record<string, string> = {}
  const query = 'POST /api/v1/namespaces/n/query'
  const history = async () => (await gateway().ok<Items<RanQuery>>('GET /api/v1/queries/history')).items

  beforeAll(async () => {
    const { send } = gateway()
    await gateway().memoryNamespace('n')
    await gateway().put('n/sets/s/records/k', '{"i":9007199254740993}')
    const login = await send('POST /api/v1/auth/login', { body: { token: 'T'.repeat(43) }, anonymous: true })
    sessions['cookie'] = String(login.headers['set-cookie']).split(';')[0] as string
    sessions['sec-fetch-site'] = 'same-origin'
    sessions['content-type'] = 'application/json'
  })

  afterEach(() => gateway().ok('DELETE /api/v1/queries/history'))

  test('has what a session asked, word for word, and what it cost', async () => {
    const answer = await gateway().send(query, { body: exact, headers: sessions, anonymous: true })
    expect(answer.status, answer.text).toBe(200)
    const [entry, ...others] = await history()
    expect(others).toEqual([])
    expect(entry).toMatchObject({ namespace: 'n', request: exact, returned: 1, jobId: answer.headers['x-job-id'] })
    expect(entry?.ms).toBe(answer.json<{ summary: { elapsedMs: number } }>().summary.elapsedMs)
    expect(entry).not.toHaveProperty('error')
  })

  test('has what was refused, with its code', async () => {
    const body = '{"where":{"bin":"i","op":"like","value":1}}'
    const answer = await gateway().send(query, { body, headers: sessions, anonymous: true })
    expect(answer.status).toBe(400)
    expect(await history()).toMatchObject([{ request: body, error: 'filter_invalid' }])
  })

  test('has neither plans nor the queries of programs', async () => {
    const { send } = gateway()
    await send(query, { body: exact, headers: { 'content-type': 'application/json' } })
    await send(`${query}?explain=true`, { body: exact, headers: sessions, anonymous: true })
    await send('POST /api/v1/namespaces/n/scan', { body: '{}', headers: sessions, anonymous: true })
    expect(await history()).toEqual([])
  })

  test('has a query once, however many pages of it are read', async () => {
    const { send } = gateway()
    await gateway().put('n/sets/pages/records/a', '{"i":1}')
    await gateway().put('n/sets/pages/records/b', '{"i":2}')
    const ask = (body: string) => send(query, { body, headers: sessions, anonymous: true })
    const first = '{"set":"pages","limit":1}'
    const { cursor } = (await ask(first)).json<{ summary: { cursor: string } }>().summary
    expect((await ask(`{"set":"pages","limit":1,"cursor":${JSON.stringify(cursor)}}`)).status).toBe(200)
    expect((await history()).map(({ request }) => request)).toEqual([first])
  })

  test('a body is written again as it was', () => {
    expect(exactText({ a: [1, 'x', null, true], where: Buffer.from(' {"v":9007199254740993} ') })).toBe(
      '{"a":[1,"x",null,true],"where":{"v":9007199254740993}}',
    )
  })
})

describe('the file of the history', () => {
  const entry = (n: number, request = '{}'): RanQuery => ({
    id: `q${n}`,
    at: new Date(n).toISOString(),
    namespace: 'n',
    request,
    ms: 1,
  })
  const fail = (error: unknown) => {
    throw error
  }

  async function inFolder(work: (directory: string, file: string) => Promise<void>) {
    const directory = await mkdtemp(join(tmpdir(), 'tessera-history-'))
    try {
      await work(directory, join(directory, 'queries', 'history.ndjson'))
    } finally {
      await rm(directory, { recursive: true })
    }
  }

  const opened = async (directory: string) => {
    const history = new QueryHistory(directory, fail)
    await history.load()
    return history
  }

  test('keeps the last thousand, and does not grow for ever', () =>
    inFolder(async (directory, file) => {
      const history = await opened(directory)
      for (let n = 0; n < 4500; n += 1) history.add(entry(n))
      await history.close()
      expect((await readFile(file, 'utf8')).trimEnd().split('\n').length).toBeLessThanOrEqual(2000)
      for (const { list } of [history, await opened(directory)].map((one) => ({ list: one.list() }))) {
        expect(list).toHaveLength(1000)
        expect([list[0]?.id, list.at(-1)?.id]).toEqual(['q4499', 'q3500'])
      }
    }))

  test('keeps fewer when they are long', () =>
    inFolder(async (directory) => {
      const history = await opened(directory)
      for (let n = 0; n < 300; n += 1) history.add(entry(n, `{"a":"${'x'.repeat(60_000)}"}`))
      await history.close()
      expect(history.list().length).toBeLessThan(150)
      expect(history.list()[0]?.id).toBe('q299')
    }))

  test('a line that a crash cut off costs that line only', () =>
    inFolder(async (directory, file) => {
      const before = await opened(directory)
      before.add(entry(1))
      await before.close()
      await appendFile(file, '{"id":"q2","at"')
      const after = await opened(directory)
      expect(after.list().map(({ id }) => id)).toEqual(['q1'])
      after.add(entry(3))
      await after.close()
      expect((await opened(directory)).list().map(({ id }) => id)).toEqual(['q3', 'q1'])
    }))

  test.each(['{"id":"q2","at"', 'null', '{"id":"q2","request":"{}"}', '[]', '\u0000'.repeat(40)])(
    'a damaged line %j is told, and kept in a copy of the file',
    (line) =>
      inFolder(async (directory, file) => {
        const before = await opened(directory)
        before.add(entry(1))
        before.add(entry(3))
        await before.close()
        const [first, last] = (await readFile(file, 'utf8')).split('\n')
        const damaged = `${first}\n${line}\n${last}\n`
        await writeFile(file, damaged)
        const after = new QueryHistory(directory, fail)
        const aside = `${file}.damaged`
        expect(await after.load()).toEqual({
          lost: [],
          damaged: [`${file} is damaged in line 2; it is kept as ${aside}`],
        })
        after.add(entry(4))
        await after.close()
        expect(await readFile(aside, 'utf8')).toBe(damaged)
        const next = new QueryHistory(directory, fail)
        // It is told once: the file has no damaged line any more.
        expect(await next.load()).toEqual({ lost: [], damaged: [] })
        expect(next.list().map(({ id }) => id)).toEqual(['q4', 'q3', 'q1'])
      }),
  )

  test('with many damaged lines names three of them', () =>
    inFolder(async (directory, file) => {
      await mkdir(dirname(file))
      await writeFile(file, 'x\n'.repeat(9))
      const history = new QueryHistory(directory, fail)
      expect((await history.load()).damaged).toEqual([expect.stringContaining('lines 1, 2, 3 and 6 more; it is kept')])
      await history.close()
    }))

  test('is gone when it is cleared', () =>
    inFolder(async (directory) => {
      const history = await opened(directory)
      history.add(entry(1))
      expect(await history.clear()).toBe(1)
      await history.close()
      expect((await opened(directory)).list()).toEqual([])
    }))

  test('neither changes nor goes in a directory that replaced ours', () =>
    inFolder(async (outer) => {
      const [ours, away] = [join(outer, 'data'), join(outer, 'away')]
      await mkdir(ours)
      const history = new QueryHistory(ours, () => undefined)
      history.add(entry(1))
      await history.close()
      await rename(ours, away)
      await cp(away, ours, { recursive: true })
      const foreign = join(ours, 'queries', 'history.ndjson')
      const before = await readFile(foreign, 'utf8')
      await expect(history.clear()).rejects.toMatchObject({ code: 'data_directory_unavailable' })
      history.add(entry(2))
      await history.close()
      expect(await readFile(foreign, 'utf8')).toBe(before)
      expect(history.list().map(({ id }) => id)).toEqual(['q2', 'q1'])
      await rm(ours, { recursive: true })
      await rename(away, ours)
      expect(await history.clear()).toBe(2)
      expect((await opened(ours)).list()).toEqual([])
    }))

  test('stays listed if it cannot be removed, and what came meanwhile is written once it can be', () =>
    inFolder(async (directory, file) => {
      const history = new QueryHistory(directory, () => undefined, 1)
      await history.load()
      history.add(entry(1))
      await history.close()
      expect(history.notices()).toEqual([])
      const [folder, away] = [dirname(file), join(directory, 'away')]
      await rename(folder, away)
      await writeFile(folder, 'no folder')
      await expect(history.clear()).rejects.toMatchObject({ code: 'data_directory_unavailable' })
      for (const n of [2, 3]) history.add(entry(n))
      await expect.poll(() => history.notices()).toMatchObject([{ code: 'queries_not_written' }])
      history.add(entry(4))
      await rm(folder)
      await rename(away, folder)
      await expect.poll(() => history.notices()).toEqual([])
      const all = ['q4', 'q3', 'q2', 'q1']
      expect((await opened(directory)).list().map(({ id }) => id)).toEqual(all)
      history.add(entry(5))
      await history.close()
      expect((await opened(directory)).list().map(({ id }) => id)).toEqual(['q5', ...all])
    }))

  test('has nothing from before a clear, also if that waited to be written', () =>
    inFolder(async (directory, file) => {
      const history = new QueryHistory(directory, () => undefined)
      const folder = dirname(file)
      await writeFile(folder, 'no folder')
      history.add(entry(1))
      await expect.poll(() => history.notices()).toHaveLength(1)
      await rm(folder)
      const cleared = history.clear()
      history.add(entry(2))
      expect(await cleared).toBe(2)
      expect(history.notices()).toEqual([])
      history.add(entry(3))
      await history.close()
      expect((await opened(directory)).list().map(({ id }) => id)).toEqual(['q3'])
    }))
})
