// Bad input on every route: a clear problem with a stable code, nothing lost, memory bounded. The cases are in bad-input/.
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { alerts } from './bad-input/alerts.js'
import { audit } from './bad-input/audit.js'
import { backups } from './bad-input/backups.js'
import { batchReads } from './bad-input/batch-reads.js'
import { type Case, gzip, json, memory, N, ndjson, NS, R } from './bad-input/case.js'
import { capacity } from './bad-input/capacity.js'
import { compatible } from './bad-input/compatible.js'
import { jobs } from './bad-input/jobs.js'
import { load } from './bad-input/load.js'
import { migrations } from './bad-input/migrations.js'
import { namespaces } from './bad-input/namespaces.js'
import { others } from './bad-input/others.js'
import { queries } from './bad-input/queries.js'
import { records } from './bad-input/records.js'
import { search } from './bad-input/search.js'
import { setsAndIndexes } from './bad-input/sets-indexes.js'
import { slow } from './bad-input/slow.js'
import { streams } from './bad-input/streams.js'
import { workloads } from './bad-input/workloads.js'
import { ycsb } from './bad-input/ycsb.js'
import { useGateway } from './gateway.js'

const tables: [area: string, cases: Case[]][] = [
  ['namespaces', namespaces],
  ['migrations', migrations],
  ['backups', backups],
  ['sets and indexes', setsAndIndexes],
  ['records', records],
  ['batch reads', batchReads],
  ['query and scan', search],
  ['streams', streams],
  ['saved queries, sample events', queries],
  ['import and export', load],
  ['jobs', jobs],
  ['capacity', capacity],
  ['workloads', workloads],
  ['slow operations', slow],
  ['alerts', alerts],
  ['audit log', audit],
  ['ycsb', ycsb],
  ['the rest', others],
]

describe('bad input', () => {
  const gateway = useGateway({ bodyLimitBytes: 256 * 1024 })
  let before: Record<string, unknown>

  /** All that could be lost. */
  async function snapshot() {
    const { send, ok } = gateway()
    const { config, records: count } = await ok<{ config: object; records: number }>(`GET ${N}`)
    return {
      config,
      count,
      ada: (await send(`GET ${R}/ada`)).text,
      names: (await ok<{ items: { name: string }[] }>(`GET ${NS}`)).items.map(({ name }) => name),
      indexes: (await ok<{ items: { name: string; entries: number }[] }>(`GET ${N}/indexes`)).items.map(
        ({ name, entries }) => [name, entries],
      ),
      sets: (await ok<{ items: { name: string; records: number }[] }>(`GET ${N}/sets`)).items.filter(
        (set) => set.records > 0,
      ),
    }
  }

  beforeAll(async () => {
    const { ok } = gateway()
    await ok(`POST ${NS}`, { body: { name: 'good', storage: memory, segments: 16, maxRecordBytes: 4096 } })
    await gateway().put('good/sets/users/records/ada', '{"name":"Ada","n":9007199254740993,"doc":{"a":1}}')
    await ok(`POST ${N}/indexes?wait=10s`, { body: { name: 'docs', set: 'users', bin: 'doc', kind: 'document' } })
    before = await snapshot()
  })

  test('there are at least 150 cases', () => {
    expect(tables.flatMap(([, cases]) => cases).length).toBeGreaterThanOrEqual(150)
  })

  describe.each(tables)('%s', (_group, cases) => {
    test.each(cases.map((row) => [row[0].slice(0, 120), row[2], row] as const))('%s: %s', async (_line, _code, row) => {
      const [line, status, code, body, headers] = row
      const answer = await gateway().send(line, {
        ...(body !== undefined && body !== null && { body }),
        ...(headers !== undefined && { headers }),
      })
      expect(answer.headers['content-type'], answer.text).toContain('application/problem+json')
      const problem = answer.json<{ code: string; status: number; detail: string; requestId: string }>()
      expect([problem.code, answer.status], problem.detail).toEqual([code, status])
      expect(problem.status).toBe(status)
      expect(problem.detail).not.toBe('')
      expect(answer.headers['x-request-id']).toBe(problem.requestId)
      expect(answer.headers['allow'] ?? '').toMatch(status === 405 ? /^[A-Z]+(, [A-Z]+)*$/ : /^$/)
    })
  })

  describe('/v1 words its refusals its own way', () => {
    test.each(compatible)('%s → %i, %s', async (line, status, code, body) => {
      const answer = await gateway().send(line, {
        headers: body === undefined ? {} : json,
        ...(body !== undefined && { body }),
      })
      expect(answer.status, answer.text).toBe(status)
      const error = answer.json<{ message: string; inDoubt: boolean; internalErrorCode?: number }>()
      expect(error.message).not.toBe('')
      expect(error.inDoubt).toBe(false)
      expect(error.internalErrorCode).toBe(code)
    })
  })

  test('a batch of bad lines reports each and keeps its own answer small', async () => {
    const { send } = gateway()
    const answer = await send(`POST ${N}/sets/lines/records`, { body: 'nonsense\n'.repeat(20_000), headers: ndjson })
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({ written: 0, rejectedTotal: 20_000 })
    expect(answer.json<{ rejected: object[] }>().rejected).toHaveLength(1000)
  })

  test('a zip bomb costs no more memory than any other upload', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, 'a'))
    const start = process.memoryUsage().rss
    const answer = await gateway().send(`POST ${N}/import?set=bomb&key=id`, { body: bomb, headers: gzip })
    expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500)
    expect(process.memoryUsage().rss - start).toBeLessThan(192 * 1024 * 1024)
  })

  test('nothing was lost and nothing was added', async () => {
    expect(await snapshot()).toEqual(before)
  })

  test('memory stays bounded under a thousand refusals', async () => {
    const body = Buffer.alloc(200 * 1024, 0x5b)
    const refuse = () => gateway().send(`PUT ${R}/x`, { body, headers: json })
    for (let i = 0; i < 100; i += 1) await refuse()
    const start = process.memoryUsage().rss
    for (let i = 0; i < 1000; i += 1) expect((await refuse()).status).toBe(400)
    expect(process.memoryUsage().rss - start).toBeLessThan(128 * 1024 * 1024)
  })
})
