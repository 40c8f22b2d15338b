// The disks of a namespace: what the report, the live frames and Prometheus say of the same traffic.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BlockMap, DeviceLoad, DeviceReport } from '../../src/schemas/namespaces/device.js'
import type { MetricsFrame } from '../../src/schemas/server/metrics.js'
import type { Namespace } from '../../src/schemas/namespaces/namespaces.js'
import { openDevices } from '../../src/live/prometheus/disks.js'
import { useGateway } from '../gateway.js'

const BLOCK = 16_384
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const used = (map: BlockMap): number => sum([map.writing, map.stored, map.freeing, map.unreadable].map(sum))

describe('the report of a device', () => {
  const allowed = mkdtempSync(join(tmpdir(), 'tessera-report-'))
  const gateway = useGateway({ devicePaths: [allowed] })
  const path = '/api/v1/namespaces/disk'
  const report = (query = ''): Promise<DeviceReport> => gateway().ok<DeviceReport>(`GET ${path}/device${query}`)

  beforeAll(async () => {
    const devices = ['a "quoted"', 'b'].map((name) => ({ path: join(allowed, name), capacityBytes: 100 * BLOCK }))
    const storage = { engine: 'device', writeBlockBytes: BLOCK, postWriteCacheBytes: 0, devices }
    await gateway().ok('POST /api/v1/namespaces', {
      body: { name: 'disk', storage, durability: 'commit', segments: 4, maxRecordBytes: 8192 },
    })
    for (let key = 0; key < 60; key += 1) await gateway().put(`disk/sets/s/records/${key}`, { text: 'x'.repeat(3000) })
    await gateway().ok('DELETE /api/v1/namespaces/disk/sets/s/records/7')
    for (let key = 10; key < 20; key += 1) await gateway().ok(`GET ${path}/sets/s/records/${key}`)
  })

  afterAll(() => {
    rmSync(allowed, { recursive: true })
  })

  test('counts what the disks did', async () => {
    const { namespace, blockBytes, disks, flush, defrag, cache, amplification } = await report()
    expect({ namespace, blockBytes, disks: disks.length }).toEqual({ namespace: 'disk', blockBytes: BLOCK, disks: 2 })
    for (const disk of disks) {
      expect(disk).toMatchObject({ kind: 'file', capacityBytes: 100 * BLOCK, inFlight: 0 })
      expect(disk.writes.bytes).toBeGreaterThan(60_000)
      expect(disk.writes.medianMs).toBeGreaterThan(0)
      expect(disk.writes.p99Ms).toBeGreaterThanOrEqual(disk.writes.medianMs ?? Infinity)
      expect(disk.busyMs).toBeGreaterThan(0)
      expect(disk.busyMs).toBeLessThanOrEqual(Math.min(disk.queueMs, disk.countedMs))
    }
    expect(sum(disks.map(({ syncs }) => syncs.count))).toBeGreaterThanOrEqual(60)
    expect(cache).toMatchObject({ blocks: 0, mostBlocks: 0 })
    expect(cache.memoryReads + cache.diskReads).toBeGreaterThanOrEqual(10)
    expect(cache.diskReads).toBeGreaterThan(0)
    expect(flush).toEqual({ queueBytes: 0, limitBytes: expect.any(Number) as number, failures: 0 })
    expect(defrag.reservedBlocks).toBeGreaterThan(0)
    expect(amplification.writtenBytes).toBe(sum(disks.map(({ writes }) => writes.bytes)))
    expect(amplification.appendedBytes).toBeGreaterThan(180_000)
    expect(amplification.total).toBeCloseTo(amplification.writtenBytes / amplification.appendedBytes)
  })

  test('its map adds up to what is used, in as many cells as were asked for', async () => {
    const { device } = await gateway().ok<Namespace>(`GET ${path}`)
    for (const [query, most] of [
      ['', 1024],
      ['?cells=1', 1],
      ['?cells=7', 7],
      ['?cells=4096', 4096],
    ] as const) {
      const { disks } = await report(query)
      for (const { map = expect.unreachable('it has no map'), usedBytes } of disks) {
        expect(map.free.length).toBe(Math.ceil(map.blocks / map.blocksPerCell))
        expect(map.free.length).toBeLessThanOrEqual(most)
        expect(
          Object.values(map).every((column) => typeof column === 'number' || column.length === map.free.length),
        ).toBe(true)
        expect(map.blocks).toBe(100)
        expect(used(map) + sum(map.free)).toBe(100)
        expect(used(map) * BLOCK).toBe(usedBytes)
      }
      expect(sum(disks.flatMap(({ map }) => map?.liveBytes ?? []))).toBe(device?.liveBytes)
      expect(sum(disks.flatMap(({ map }) => map?.tombstoneBytes ?? []))).toBeGreaterThan(0)
      expect(sum(disks.map(({ usedBytes }) => usedBytes))).toBe(device?.bytes)
    }
  })

  test('without a map it tells the same but for the map', async () => {
    const [whole, bare] = [await report(), await report('?cells=0')]
    const figures = (of: DeviceReport) => of.disks.map(({ path: at, writes, usedBytes }) => ({ at, writes, usedBytes }))
    expect(figures(bare)).toEqual(figures(whole))
    expect(bare.disks.map(({ map }) => map)).toEqual([undefined, undefined])
    expect([bare.defrag, bare.cache.blocks]).toEqual([whole.defrag, whole.cache.blocks])
    // Prometheus wants no more.
    const { engine } = gateway().app
    const scraped = await openDevices(engine, await engine.namespaces())
    expect(scraped.flatMap(({ disks }) => disks.map(({ map }) => map))).toEqual(bare.disks.map(({ map }) => map))
  })

  test('frames have the rates of each disk, and add up in the history', async () => {
    const { app, ok } = gateway()
    const busy: MetricsFrame[] = []
    const atWork = ({ namespace, disks }: DeviceLoad): boolean =>
      namespace === 'disk' && disks.every(({ writesPerSecond }) => writesPerSecond > 0)
    const stop = app.live.listen((frame) => {
      if (frame.devices.some(atWork)) busy.push(frame)
    })
    // The first may be of the second in which the disks were opened: they have their rates of the time since.
    while (busy.length < 2) await gateway().put('disk/sets/s/records/0', { text: 'x'.repeat(3000) })
    stop()
    const [, frame = expect.unreachable('the loop ends with two')] = busy
    const load = frame.devices.find(({ namespace }) => namespace === 'disk')
    expect(load?.disks.map((disk) => disk.path)).toEqual([join(allowed, 'a "quoted"'), join(allowed, 'b')])
    // Each disk was written to in that second.
    expect(load?.disks.map(({ busyPercent }) => busyPercent > 0)).toEqual([true, true])
    // What all disks do is told twice, and is one figure.
    for (const rate of ['readsPerSecond', 'writesPerSecond', 'syncsPerSecond', 'writeBytesPerSecond'] as const) {
      const each = sum(frame.devices.flatMap(({ disks }) => disks.map((disk) => disk[rate])))
      expect(Math.abs((frame.device?.[rate] ?? NaN) - each)).toBeLessThanOrEqual(0.25 * each)
    }
    const { items } = await ok<{ items: MetricsFrame[] }>('GET /api/v1/metrics/history?step=1h&namespace=disk')
    const written = items.flatMap(({ devices, durationMs }) =>
      devices.flatMap(({ disks }) => disks.map((disk) => (disk.writeBytesPerSecond * durationMs) / 1000)),
    )
    expect(sum(written)).toBeGreaterThan(0)
    const other = await ok<{ items: MetricsFrame[] }>('GET /api/v1/metrics/history?step=1h&namespace=other')
    expect(other.items.flatMap(({ devices }) => devices)).toEqual([])
    expect((await report()).lastSecond?.namespace).toBe('disk')
  })

  const written = (disks: DeviceReport['disks']): number[] => disks.map(({ writes }) => writes.bytes)

  /** Records of the tests before may still be on their way to the disks. */
  async function metricsOfQuietDisks() {
    for (;;) {
      const { disks } = await report()
      const { text } = await gateway().send('GET /metrics')
      if (isDeepStrictEqual(written((await report()).disks), written(disks))) return { text, disks }
    }
  }

  test('Prometheus has the counters of each disk', async () => {
    const { text, disks } = await metricsOfQuietDisks()
    const value = (name: string, disk: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name}{namespace="disk",disk="${disk}"} `))
          ?.split(' ')
          .at(-1),
      )
    const quoted = join(allowed, 'a \\"quoted\\"')
    expect(value('tessera_disk_written_bytes_total', quoted)).toBe(disks[0]?.writes.bytes)
    expect(value('tessera_disk_written_bytes_total', join(allowed, 'b'))).toBe(disks[1]?.writes.bytes)
    expect(value('tessera_disk_in_flight', quoted)).toBe(0)
    expect(text).toContain('tessera_flush_queue_bytes{namespace="disk"} 0')
    expect(text).toContain('tessera_failed_flushes_total{namespace="disk"} 0')
  })
})
