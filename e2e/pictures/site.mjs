// What the pictures of the console show: namespaces of each engine with records, indexes, jobs, users, backups and the like.
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../bench/gateway.mjs'

/** @typedef {import('../bench/gateway.mjs').Gateway} Gateway */
/** @typedef {{ run: string, second: string, job: string }} Places */

/** As long as a name can be. */
export const LONG = 'a-namespace-whose-name-is-as-long-as-a-name-may-be-63-letters-x'
const CITIES = ['Berlin', 'Osaka', 'Chengdu', 'Lisboa', 'Nairobi', 'Montréal', 'Kraków']
const STATES = ['open', 'paid', 'sent', 'returned']

/** Fills a gateway. @param {Gateway} gateway @returns {Promise<Places>} */
export async function fillSite(gateway) {
  /** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  const ask = (method, path, body) => call(gateway, method, path, body)
  /** @param {{ id: string, state: string }} job */
  const ended = async (job) => {
    let last = job
    while (!['done', 'failed', 'aborted'].includes(last.state)) last = await ask('GET', `/jobs/${job.id}?wait=10s`)
    return last
  }
  const cache = { cacheBytes: 64 * 1024 * 1024 }
  await ask('POST', '/namespaces', { name: 'shop', storage: { engine: 'memory' } })
  await ask('POST', '/namespaces', { name: 'archive', storage: { engine: 'device' } })
  await ask('POST', '/namespaces', { name: 'vault', storage: { engine: 'paged', ...cache } })
  await ask('POST', '/namespaces', { name: LONG, storage: { engine: 'memory' } })
  for (const ns of ['shop', 'archive', 'vault']) await load(gateway, ns, 'orders', orders(20_000))
  await load(gateway, 'shop', 'customers', customers(3000))
  await load(gateway, 'archive', 'events-of-the-payment-provider-by-day', customers(500))
  await load(gateway, LONG, 'orders', orders(100))
  await ask('PATCH', '/namespaces/shop/sets/customers', { limits: { maxRecords: 5000 } })
  for (const index of [
    { name: 'by-total', set: 'orders', bin: 'total', kind: 'range', threads: 2 },
    { name: 'by-state', set: 'orders', bin: 'state', kind: 'range', threads: 2 },
    { name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 2 },
  ])
    await ended(await ask('POST', '/namespaces/shop/indexes', index))
  await ended(await ask('POST', '/namespaces/archive/indexes', { ...byCity, threads: 1 }))
  await ask('PATCH', '/slow/settings', { thresholdMs: 20 })
  for (const threads of [1, 2]) await ended(await ask('POST', '/jobs', scan({ threads })))
  await ended(await ask('POST', '/jobs', scan({ threads: 1, where: { bin: 'state', op: 'eq', value: 'paid' } })))
  const running = await ask('POST', '/jobs', scan({ threads: 1, recordsPerSecond: 20 }))
  const aborted = await ask('POST', '/jobs', { kind: 'scan', namespace: 'archive', threads: 1, recordsPerSecond: 10 })
  await ask('DELETE', `/jobs/${aborted.id}`)
  await ended(await ask('POST', '/namespaces/shop/backups'))
  await ask('PUT', '/namespaces/shop/sets/orders/records/one-more', { bins: { total: 1 } })
  const [first] = (await ask('GET', '/backups')).items
  await ended(await ask('POST', '/namespaces/shop/backups', { base: first.id }))
  await ask('PUT', '/namespaces/shop/backup-schedule', { everyHours: 168, at: '02:00', fullEvery: 4, keepFull: 3 })
  await people(ask)
  await ask('POST', '/alerts/rules', tooMany)
  await ask('PATCH', '/namespaces/archive', { defaultTtlSeconds: 86_400 })
  await ask('POST', '/queries', { name: 'Dear orders', namespace: 'shop', request: JSON.stringify(dear) })
  const [run, second] = [await benchmark(ask, 4000), await benchmark(ask, 6000)]
  await ask('POST', '/lab', { experiment: 'tps', scale: 'quick' }).catch(say)
  return { run, second, job: running.id }
}

const byCity = { name: 'by-city', set: 'orders', bin: 'city', kind: 'range' }
const dear = { set: 'orders', where: { bin: 'total', op: 'gt', value: 9000 }, limit: 100 }
const tooMany = {
  name: 'Many records in a namespace',
  severity: 'warning',
  threshold: { metric: 'namespace.records', when: 'above', value: 10_000, forSeconds: 1, resolveForSeconds: 1 },
}

/** @param {object} part */
const scan = (part) => ({ kind: 'scan', namespace: 'shop', set: 'orders', ...part })

/** @param {(method: string, path: string, body?: unknown) => Promise<any>} ask */
async function people(ask) {
  const password = 'Ballast-Tern-Kiosk-41'
  await ask('POST', '/users', { name: 'mei.tanaka', password, grants: [{ role: 'operator' }] })
  await ask('POST', '/users', {
    name: 'a.reader.whose.name.is.rather.long.of.the.payments.team',
    password,
    grants: [
      { role: 'reader', namespace: 'shop' },
      { role: 'writer', namespace: 'archive' },
    ],
  })
  await ask('POST', '/tokens', { name: 'nightly-export', grants: [{ role: 'reader' }] })
  await ask('POST', '/tokens', { name: 'shop-writer', grants: [{ role: 'writer', namespace: 'shop' }] })
}

/** Runs a benchmark to its end. @param {(method: string, path: string, body?: unknown) => Promise<any>} ask @param {number} targetTps */
async function benchmark(ask, targetTps) {
  const spec = { name: `mixed at ${targetTps}`, namespace: 'shop', set: 'bench', keys: 2000, threads: 2, fill: true }
  const { id } = await ask('POST', '/workloads', { ...spec, durationSeconds: 12, targetTps })
  while (!['done', 'failed', 'aborted'].includes((await ask('GET', `/workloads/${id}`)).state)) await delay(1000)
  return id
}

/** @param {Gateway} gateway @param {string} ns @param {string} set @param {Iterable<object>} rows */
async function load({ url, token }, ns, set, rows) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const body = [...rows].map((row) => JSON.stringify(row)).join('\n')
  const response = await fetch(`${url}/api/v1/namespaces/${ns}/import?set=${set}&key=key`, {
    method: 'POST',
    headers,
    body,
  })
  if (!response.ok) throw new Error(`import into ${ns}: ${await response.text()}`)
}

/** @param {number} amount */
function* orders(amount) {
  for (let n = 0; n < amount; n += 1)
    yield {
      key: `order-${String(n).padStart(6, '0')}`,
      total: Math.round(((n * 7919) % 1_000_000) * 1.07) / 100,
      state: STATES[n % 4],
      city: CITIES[n % 7],
      ref: 2 ** 40 + n,
      ...(n % 3 === 0 && { note: 'Leave it with the neighbours, please; '.repeat(1 + (n % 9)) }),
      detail: { lines: [{ sku: `S-${n % 50}`, count: 1 + (n % 4) }], paid: n % 2 === 0 },
    }
}

/** @param {number} amount */
function* customers(amount) {
  for (let n = 0; n < amount; n += 1)
    yield { key: n, name: `Customer ${n}`, city: CITIES[n % 7], since: 1_600_000_000 + n * 3600, vip: n % 11 === 0 }
}

/** @param {unknown} error */
const say = (error) => console.log(String(error))
