// Namespaces on several devices: what is allowed, what shows, what a drop takes away.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface Shown {
  config: { storage: object }
  device: { devices: { path: string; usedBytes: number; access: string }[] }
}

describe('a namespace on two devices', () => {
  const allowed = mkdtempSync(join(tmpdir(), 'tessera-devices-'))
  const gateway = useGateway({ devicePaths: [allowed] })
  const paths = ['first', 'second'].map((name) => join(allowed, name))
  const spread = '/api/v1/namespaces/spread'

  afterAll(() => {
    rmSync(allowed, { recursive: true })
  })

  test('spreads its records and shows how', async () => {
    const { ok } = gateway()
    const storage = {
      engine: 'device',
      writeBlockBytes: 16_384,
      devices: [{ path: paths[0], capacityBytes: 64 * 1024 * 1024 }, { path: paths[1] }],
      postWriteCacheBytes: 0,
      defragBelowPercent: 40,
      defragBytesPerSecond: 1024 * 1024,
      cachedIo: true,
    }
    const body = { name: 'spread', storage, durability: 'relaxed', segments: 16, maxRecordBytes: 8192 }
    await ok('POST /api/v1/namespaces', { body })
    for (let key = 0; key < 100; key += 1)
      await gateway().put(`spread/sets/s/records/${key}`, { text: 'x'.repeat(1000) })
    const { config, device } = await ok<Shown>(`GET ${spread}`)
    expect(config.storage).toMatchObject({
      ...storage,
      devices: [storage.devices[0], { path: paths[1], capacityBytes: 0 }],
    })
    expect(device.devices).toMatchObject([
      { path: paths[0], kind: 'file', access: 'cached', capacityBytes: 64 * 1024 * 1024 },
      { path: paths[1], kind: 'file', access: 'cached', capacityBytes: 0 },
    ])
    const [first = 0, second = 0] = device.devices.map(({ usedBytes }) => usedBytes)
    expect(Math.min(first, second)).toBeGreaterThan(40_000)
    expect(Math.abs(first - second)).toBeLessThanOrEqual(16_384)
  })

  test('shares them with no other, and takes no file that is there', async () => {
    const { send } = gateway()
    writeFileSync(join(allowed, 'theirs'), 'precious')
    for (const path of [paths[0], join(allowed, 'theirs')]) {
      const body = { name: 'other', storage: { engine: 'device', devices: [{ path }] } }
      const answer = await send('POST /api/v1/namespaces', { body })
      expect(answer.json()).toMatchObject({ status: 400, code: 'config_invalid', field: 'devices.0.path' })
    }
  })

  test('takes them along when it is dropped', async () => {
    await gateway().ok(`DELETE ${spread}?forGood=true`)
    expect(paths.map((path) => existsSync(path))).toEqual([false, false])
  })
})
