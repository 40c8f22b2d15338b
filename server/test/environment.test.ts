// What the environment takes away while the gateway runs: the data directory, and memory.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '../src/schemas/server/status.js'
import { useGateway } from './gateway.js'
import { turnsUntil } from './turns.js'

interface Ready {
  ready: boolean
  state: string
  reasons: string[]
}

describe('a data directory that goes while the gateway runs', () => {
  const gateway = useGateway()

  beforeAll(async () => {
    for (const engine of ['memory', 'device', 'paged'] as const)
      await gateway().ok('POST /api/v1/namespaces', { body: { name: engine, storage: { engine }, segments: 4 } })
  })

  const put = (name: string) => gateway().send(`PUT /api/v1/namespaces/${name}/sets/s/records/k`, { body: { a: 1 } })
  const failure = async () => (await gateway().app.engine.status()).dataDirectoryFailure

  test('writes are refused and every place says why, until it is back', async () => {
    const { send, ok, directory } = gateway()
    await Promise.all(['memory', 'device', 'paged'].map(async (name) => expect((await put(name)).status).toBe(201)))
    await rename(directory, `${directory}-away`)
    await mkdir(directory)
    await turnsUntil(async () => (await failure()) !== undefined)
    const message = `${directory} was replaced since it was opened`
    for (const name of ['device', 'paged']) {
      const refused = await put(name)
      expect(refused.json()).toMatchObject({ status: 503, code: 'data_directory_unavailable', detail: message })
      expect(refused.headers['retry-after']).toBe('1')
      expect((await send(`GET /api/v1/namespaces/${name}/sets/s/records/k`)).status).toBe(200)
    }
    // Records in memory need no directory; what the manifest keeps does.
    expect((await put('memory')).status).toBe(200)
    expect(
      (await send('POST /api/v1/namespaces', { body: { name: 'n', storage: { engine: 'memory' } } })).json(),
    ).toMatchObject({ code: 'data_directory_unavailable' })
    const request = '{"set":"s"}'
    const saved = await send('POST /api/v1/queries', { body: { name: 'q', namespace: 'memory', request } })
    expect(saved.json()).toMatchObject({ code: 'data_directory_unavailable' })

    const ready = await send('GET /readyz')
    expect(ready.status).toBe(503)
    expect(ready.json<Ready>()).toMatchObject({ ready: false, state: 'degraded', reasons: [message] })
    const status = await ok<Status>('GET /api/v1/status')
    expect(status).toMatchObject({ healthy: false, health: message, dataDirectoryFailure: { message } })
    expect(status.notices.map(({ namespace, state }) => [namespace, state])).toEqual([
      ['device', 'read-only'],
      ['paged', 'read-only'],
    ])

    expect(await readdir(directory)).toEqual([])
    await rm(directory, { recursive: true })
    await rename(`${directory}-away`, directory)
    await turnsUntil(async () => (await send('GET /readyz')).status === 200)
    expect(await failure()).toBeUndefined()
    for (const name of ['memory', 'device', 'paged']) expect((await put(name)).status).toBe(200)
    expect((await send('GET /readyz')).status).toBe(200)
  })
})

describe('memory namespaces without a limit', () => {
  const MIB = 1024 * 1024
  const gateway = useGateway({ memoryBytes: 4 * MIB })

  test('are full together, before the system is; one with a limit is not among them', async () => {
    const { send, ok } = gateway()
    for (const name of ['a', 'b']) await gateway().memoryNamespace(name)
    const storage = { engine: 'memory', maxMemoryBytes: 8 * MIB }
    await ok('POST /api/v1/namespaces', { body: { name: 'own', storage, segments: 4 } })
    const lines = (first: number) =>
      Array.from({ length: 100 }, (_, i) => `{"key":${first + i},"bins":{"t":"${'x'.repeat(2000)}"}}`).join('\n')
    const write = (name: string, first: number) =>
      send(`POST /api/v1/namespaces/${name}/sets/s/records`, {
        body: lines(first),
        headers: { 'content-type': 'application/x-ndjson' },
      })
    let first = 0
    const until = async (name: string): Promise<string> => {
      for (;;) {
        const text = (await write(name, (first += 100))).text
        if (text.includes('memory_full')) return text
      }
    }
    const full = await until('a')
    expect(full).toContain('that they share')
    expect(await until('b')).toContain('memory_full')
    expect((await write('own', 0)).text).not.toContain('memory_full')
    const { memoryShare } = await ok<Status>('GET /api/v1/status')
    expect(memoryShare.limitBytes).toBe(4 * MIB)
    expect(memoryShare.usedBytes).toBeGreaterThan(3 * MIB)
    interface Limits {
      limits: { sharedLimitBytes?: number; capacityBytes?: number }
    }
    expect((await ok<Limits>('GET /api/v1/namespaces/a')).limits).toMatchObject({ sharedLimitBytes: 4 * MIB })
    const own = await ok<Limits>('GET /api/v1/namespaces/own')
    expect([own.limits.sharedLimitBytes, own.limits.capacityBytes]).toEqual([undefined, 8 * MIB])
    // What is dropped makes room for the others once it cannot be restored. Until then the refusal tells of it.
    const { restorable } = await ok<{ restorable: { id: string } }>('DELETE /api/v1/namespaces/a')
    let refused = ''
    await turnsUntil(async () => (refused = (await write('b', first)).text).includes('those that can be restored hold'))
    expect(refused).toContain('memory_full')
    await ok(`DELETE /api/v1/dropped/${restorable.id}`, { headers: { 'x-confirm': 'a' } })
    expect((await write('b', 0)).text).not.toContain('memory_full')
  })
})
