// How often queries have used an index: told with the index, and kept over restarts.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../src/engines/engine.js'
import { KeptIndexUses } from '../../src/indexes/kept-uses.js'
import type { Index } from '../../src/schemas/namespaces/indexes.js'
import { index as example } from '../../src/schemas/examples/namespaces.js'
import { useGateway } from '../gateway.js'

describe('uses of an index', () => {
  const gateway = useGateway()
  const indexes = '/api/v1/namespaces/n/indexes'
  const query = (body: object) => gateway().ok('POST /api/v1/namespaces/n/query', { body: { set: 's', ...body } })

  test('are counted by queries that find records by it, and by nothing else', async () => {
    await gateway().newNamespace('n')
    for (let at = 0; at < 50; at += 1) await gateway().put(`n/sets/s/records/${at}`, { at, other: at })
    for (const bin of ['at', 'other'])
      await gateway().ok(`POST ${indexes}?wait=10s`, { body: { name: bin, set: 's', bin, kind: 'range' } })
    const named = (name: string) => gateway().ok<Index>(`GET ${indexes}/${name}`)
    const before = await named('at')
    expect(before).toMatchObject({ uses: 0, usesSince: before.createdAt })
    expect(before.lastUsedAt).toBeUndefined()
    const where = { bin: 'at', op: 'eq', value: 7 }
    await query({ where, useIndex: 'at' })
    await query({ where, useIndex: 'at', aggregate: { n: { op: 'count' } } })
    await query({ where, explain: true })
    await query({ where, useIndex: 'never' })
    const after = await named('at')
    expect(after.uses).toBe(2)
    expect(Date.parse(after.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before.createdAt))
    expect(await gateway().ok(`GET ${indexes}`)).toMatchObject({
      items: [
        { name: 'at', uses: 2 },
        { name: 'other', uses: 0 },
      ],
    })
  })
})

describe('kept uses', () => {
  let directory: string
  const since = example.createdAt
  const later = '2026-12-01T00:00:00.000Z'

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-uses-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const withUses = (uses: number, lastUsedAt?: string): Index => {
    const { lastUsedAt: _, ...index } = example as Index
    return { ...index, uses, usesSince: later, ...(lastUsedAt !== undefined && { lastUsedAt }) }
  }
  const engineWith = (index: () => Index): Engine =>
    ({ namespaceNames: () => ['shop'], indexes: () => Promise.resolve([index()]) }) as unknown as Engine
  const keeper = () => new KeptIndexUses(directory, (error) => expect.fail(String(error)))

  test('go on after a restart, with the time of the last use', async () => {
    const first = keeper()
    let now = withUses(0)
    const engine = engineWith(() => now)
    expect(await first.start(engine)).toEqual([])
    now = { ...withUses(3, '2026-12-01T01:00:00.000Z'), usesSince: since }
    await first.close(engine)
    const second = keeper()
    expect(await second.start(engine)).toEqual([])
    expect(second.of(withUses(0))).toMatchObject({ uses: 3, lastUsedAt: '2026-12-01T01:00:00.000Z', usesSince: since })
    expect(second.of(withUses(2, '2026-12-02T00:00:00.000Z'))).toMatchObject({
      uses: 5,
      lastUsedAt: '2026-12-02T00:00:00.000Z',
    })
    await second.close(engine)
  })

  test('are not counted twice after they were written, and go on when a namespace is opened again', async () => {
    const uses = keeper()
    let now = withUses(4, later)
    const engine = engineWith(() => now)
    await uses.start(engine)
    await uses.write(engine)
    expect(uses.of(now).uses).toBe(4)
    now = withUses(6, later)
    expect(uses.of(now).uses).toBe(6)
    now = withUses(1, later)
    expect(uses.of(now).uses).toBe(5)
    await uses.close(engine)
  })

  test('are not those of an index that had the name before', async () => {
    const uses = keeper()
    const engine = engineWith(() => withUses(4, later))
    await uses.start(engine)
    await uses.write(engine)
    expect(uses.of({ ...withUses(0), createdAt: later })).toMatchObject({ uses: 0, usesSince: later })
    await uses.close(engine)
  })

  test('begin anew if the file is damaged, which is told', async () => {
    const uses = keeper()
    const engine = engineWith(() => withUses(4, later))
    await uses.start(engine)
    await uses.close(engine)
    const path = join(directory, 'indexes', 'uses.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"uses":4', '"uses":5'))
    const again = keeper()
    expect(await again.start(engine)).toEqual([expect.stringContaining('checksum')])
    expect(again.of(withUses(0)).uses).toBe(0)
    await again.close(engine)
  })
})
