// A worker that ends under load, and a server that stops under load.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import type { App } from '../../src/app-types.js'
import { Access } from '../../src/auth/access.js'
import { readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { TOKEN } from '../gateway.js'
import { type Client, threadOf, withClients } from './clients.js'
import { crewOf, listenWith } from './crewed.js'

const started: Worker[] = []
const note = (worker: Worker): void => {
  started.push(worker)
}
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  process.on('worker', note)
})
afterAll(async () => {
  process.off('worker', note)
  await rm(directory, { recursive: true })
})

async function open(): Promise<{ app: App; port: number; lines: string[] }> {
  const read = readConfig(['--data', directory], { TESSERA_LOG_LEVEL: 'info' })
  const config = { ...read, workers: 2, overloadDelayMs: 0 }
  const engine = await openNativeEngine(config)
  await engine.settled()
  const crew = await crewOf(config, engine)
  const lines: string[] = []
  const log = { write: (line: string) => void lines.push(line) }
  const app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles: directory, log, crew })
  return { app, port: (await listenWith(app, crew)) ?? 0, lines }
}

const BATCH = 1000
const url = (namespace: string, key: string): string => `/api/v1/namespaces/${namespace}/sets/s/records/${key}`

/** Each client writes its own keys until `over`. Returns the keys whose writes were acknowledged, and other answers. */
async function write(
  clients: Client[],
  namespace: string,
  over: () => boolean,
): Promise<{ kept: string[]; others: number[] }> {
  const kept: string[] = []
  const others: number[] = []
  await Promise.all(
    clients.map(async (one, at) => {
      for (let n = 0; !over(); n += 1) {
        const key = `${at}-${n}`
        // Its connection is closed with the worker that had it.
        const said = await one.send(`PUT ${url(namespace, key)}`, '{"n":1}').catch(() => undefined)
        if (said?.status === 201) kept.push(key)
        else if (said !== undefined) others.push(said.status)
      }
    }),
  )
  return { kept, others }
}

/** The keys without a record. A request for each would take longer than the writes. */
async function missing(client: Client | undefined, namespace: string, keys: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (let from = 0; from < keys.length; from += BATCH) {
    const line = `POST /api/v1/namespaces/${namespace}/sets/s/read`
    const said = await client?.send(line, JSON.stringify(keys.slice(from, from + BATCH)))
    expect(said?.status).toBe(200)
    for (const [, key = ''] of said?.body.matchAll(/"key":"([\d-]+)"[^}]*"bins":\{"n":1\}/g) ?? []) found.add(key)
  }
  return keys.filter((key) => !found.has(key))
}

test('a worker that ends under load is started again, and loses nothing that was acknowledged', async () => {
  const { app, port, lines } = await open()
  const storage = { engine: 'memory' as const }
  await app.engine.createNamespace({ name: 'ns', storage, segments: 16 } as Parameters<
    App['engine']['createNamespace']
  >[0])
  const before = started.length
  let over = false
  await withClients(port, 50, async (clients) => {
    const writing = write(clients, 'ns', () => over)
    await expect.poll(async () => (await app.engine.namespace('ns')).records).toBeGreaterThan(500)
    await started.at(-1)?.terminate()
    await expect.poll(() => started.length).toBe(before + 1)
    await expect.poll(() => lines.filter((line) => line.includes('a worker has ended')).length).toBe(1)
    over = true
    const { kept, others } = await writing
    expect(others).toEqual([])
    expect(await missing(clients[0], 'ns', kept)).toEqual([])
  })
  const threads = async (): Promise<number> => {
    const said = await withClients(port, 32, (all) => Promise.all(all.map((one) => one.send('GET /healthz'))))
    return new Set(said.map(threadOf)).size
  }
  await expect.poll(threads).toBe(2)
  await app.close()
  expect(app.crew?.figures().connections.open).toBe(0)
})

test('a stop under load answers what is under way, and keeps what was acknowledged', async () => {
  const { app, port } = await open()
  const storage = { engine: 'paged' as const, files: [], capacityBytes: 64 * 1024 * 1024 }
  await app.engine.createNamespace({ name: 'kept', storage, segments: 16 } as Parameters<
    App['engine']['createNamespace']
  >[0])
  let over = false
  const { kept, others } = await withClients(port, 50, async (clients) => {
    const writing = write(clients, 'kept', () => over)
    await expect.poll(async () => (await app.engine.namespace('kept')).records).toBeGreaterThan(200)
    await app.close()
    over = true
    return writing
  })
  expect(kept.length).toBeGreaterThan(200)
  expect(others.filter((status) => status !== 503)).toEqual([])
  const again = await open()
  await withClients(again.port, 1, async ([one]) => expect(await missing(one, 'kept', kept)).toEqual([]))
  await again.app.close()
})
