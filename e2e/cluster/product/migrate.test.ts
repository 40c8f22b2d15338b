// A namespace goes from a device to a real cluster and back over HTTP, under load, and the gateway is killed four times
// on the way. Every record is compared afterwards. MIGRATED_RECORDS says how many there are beside those of the load.
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, finish, type Job, send } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome } from '../../gateway/gateway.ts'
import { points, startGatewayOfCluster } from './cluster.ts'

const records = Number(process.env['MIGRATED_RECORDS'] ?? 3000)
const hot = 400
const home = newHome()
const ns = (path: string): string => `/api/v1/namespaces/wandering${path}`
const cassandra = {
  engine: 'cassandra',
  cluster: { name: 'local', replication: Math.min(3, points.length), timeoutMs: 5000 },
}
let gateway: Gateway

interface Migration {
  phase: 'copying' | 'verifying' | 'doubled' | 'failed'
  copied: number
  compared: number
  cutOver: boolean
  failure?: object
  jobId?: string
}

const start = async (): Promise<void> => {
  gateway = await startGatewayOfCluster(home)
}
const killed = async (): Promise<void> => {
  await gateway.stop('SIGKILL')
  await start()
}
const migration = (): Promise<Migration> => call<Migration>(gateway, 'GET', ns('/migration'))
const until = async (reached: (migration: Migration) => boolean): Promise<void> => {
  for (;;) {
    const now = await migration()
    expect(now.phase, JSON.stringify(now.failure)).not.toBe('failed')
    if (reached(now)) return
    await setTimeout(50)
  }
}
const doubled = (): Promise<void> => until(({ phase }) => phase === 'doubled')
/** Indexes of the target may still be built. */
const cutOver = async (): Promise<void> => {
  for (;;) {
    const answer = await send(gateway, 'POST', ns('/migration/cut-over'))
    if (answer.ok) return
    expect(await answer.json()).toMatchObject({ code: 'index_building' })
    await setTimeout(100)
  }
}

/** Values that a record of the load may have: the last one that was acknowledged, and those whose answer was lost. */
const may = new Map<number, Set<number>>()
let acknowledged = 0
async function load(writer: number, writers: number, stop: AbortSignal): Promise<void> {
  for (let value = 1; !stop.aborted; value += 1) {
    for (let key = writer; key < hot && !stop.aborted; key += writers) {
      const known = may.get(key) ?? new Set<number>()
      may.set(key, known.add(value))
      const path = ns(`/sets/hot/records/${key}?keytype=integer`)
      const answer = await send(gateway, 'PUT', path, { n: value }).catch(() => undefined)
      if (answer === undefined) {
        // The gateway is being killed: whether it was written is not known.
        await setTimeout(20)
        continue
      }
      const text = await answer.text()
      if (answer.ok) {
        may.set(key, new Set([value]))
        acknowledged += 1
      } else {
        // Nothing has changed, or that is not known.
        const { code } = JSON.parse(text) as { code: string }
        expect(['write_uncertain', 'starting', 'cluster_unavailable', 'shutting_down', 'closed'], text).toContain(code)
        if (code !== 'write_uncertain') known.delete(value)
      }
    }
  }
}

async function underLoad(work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const before = acknowledged
  const writers = Array.from({ length: 4 }, (_, writer) => load(writer, 4, stop.signal))
  await work()
  await expect.poll(() => acknowledged, { timeout: 120_000 }).toBeGreaterThan(before)
  stop.abort()
  await Promise.all(writers)
}

/** Kills the gateway while the job copies, and once more after the cut-over. */
async function cutOverThoughKilled(): Promise<void> {
  await until(({ copied }) => copied > records / 3)
  await killed()
  await doubled()
  await cutOver()
  await killed()
  await doubled()
}

/** Every record, read one by one in batches. */
async function check(): Promise<void> {
  const read = async (set: string, keys: number[]): Promise<(number | undefined)[]> => {
    const answer = await fetch(gateway.url + ns(`/sets/${set}/read`), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify(keys),
    })
    const rows = (await answer.text()).trim().split('\n')
    return rows.map((row) => (JSON.parse(row) as { bins?: { n: number } }).bins?.n)
  }
  for (let from = 0; from < records; from += 1000) {
    const keys = Array.from({ length: Math.min(1000, records - from) }, (_, n) => from + n)
    expect(await read('cold', keys)).toEqual(keys)
  }
  const keys = [...may.keys()]
  const found = await read('hot', keys)
  const wrong = keys.filter((key, at) => {
    const value = found[at]
    return value === undefined || may.get(key)?.has(value) !== true
  })
  expect(wrong).toEqual([])
}

beforeAll(async () => {
  await start()
  const storage = { engine: 'device', capacityBytes: Math.max(256, Math.ceil(records / 2000)) * 1024 ** 2 }
  await call(gateway, 'POST', '/api/v1/namespaces', { name: 'wandering', storage, segments: 64 })
  for (let from = 0; from < records; from += 5000) {
    const keys = Array.from({ length: Math.min(5000, records - from) }, (_, n) => from + n)
    const answer = await fetch(gateway.url + ns('/sets/cold/records'), {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
      body: keys.map((key) => JSON.stringify({ key, bins: { n: key } })).join('\n'),
    })
    expect(await answer.json()).toMatchObject({ written: keys.length })
  }
  await finish(
    gateway,
    await call<Job>(gateway, 'POST', ns('/indexes'), { name: 'n', set: 'cold', bin: 'n', kind: 'range' }),
  )
})
afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

test('to the cluster, killed while it copies and once it is cut over', async () => {
  const begun = Date.now()
  await call(gateway, 'POST', ns('/migrate'), { storage: cassandra })
  await underLoad(cutOverThoughKilled)
  console.log(`${records} records went to the cluster in ${Math.round((Date.now() - begun) / 1000)} s`)
  expect(await migration()).toMatchObject({ cutOver: true, target: { config: { storage: { engine: 'cassandra' } } } })
  await check()
  await call(gateway, 'POST', ns('/migration/finish'), undefined)
  const where = { bin: 'n', op: 'between', value: [10, 12] }
  const plan = await call(gateway, 'POST', ns('/query'), { set: 'cold', where, explain: true })
  expect(plan).toMatchObject({ method: 'range-index', index: 'n' })
})

test('back to a device, killed while it copies and once it is cut over', async () => {
  const begun = Date.now()
  const storage = { engine: 'device', capacityBytes: Math.max(256, Math.ceil(records / 2000)) * 1024 ** 2 }
  await call(gateway, 'POST', ns('/migrate'), { storage })
  await underLoad(cutOverThoughKilled)
  console.log(`${records} records came back in ${Math.round((Date.now() - begun) / 1000)} s`)
  await check()
  await call(gateway, 'POST', ns('/migration/finish'), undefined)
  expect(await call(gateway, 'GET', ns(''))).toMatchObject({ config: { storage: { engine: 'device' } } })
  await check()
})
