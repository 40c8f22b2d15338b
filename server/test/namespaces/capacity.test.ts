// The capacity planner: the plan agrees with a namespace that is loaded through the API.
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

interface Plan {
  record: { stored: number; binNames: number }
  dram: { total: number; primaryIndex: number; perRecord: number }
  flash?: { live: number; total: number }
  device?: { writeAmplification: number; readIops: number; writeIops: number }
}

describe('POST /api/v1/capacity', () => {
  const gateway = useGateway()
  const plan = (body: object) => gateway().ok<Plan>('POST /api/v1/capacity', { body })

  test('agrees with what is loaded', async () => {
    const { ok } = gateway()
    await ok('POST /api/v1/namespaces', {
      body: { name: 'n', storage: { engine: 'device' }, segments: 16, durability: 'relaxed' },
    })
    const rows = Array.from({ length: 5000 }, (_, n) =>
      JSON.stringify({ key: `key-${10_000 + n}`, text: 'x'.repeat(300) }),
    )
    await ok('POST /api/v1/namespaces/n/import?set=events&format=ndjson', {
      body: rows.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const { device, memory } = await ok<{ device: { liveBytes: number }; memory: { primaryIndex: number } }>(
      'GET /api/v1/namespaces/n',
    )
    const planned = await plan({
      engine: 'device',
      records: 5000,
      segments: 16,
      key: { type: 'string', bytes: 9 },
      setNameBytes: 6,
      bins: [{ type: 'string', nameBytes: 4, bytes: 300 }],
    })
    expect(planned.flash?.live).toBe(device.liveBytes)
    expect(planned.dram.primaryIndex / memory.primaryIndex).toBeGreaterThan(0.9)
    expect(planned.dram.primaryIndex / memory.primaryIndex).toBeLessThan(1.1)
  })

  test('follows what is asked for', async () => {
    const base = { engine: 'device', records: 1_000_000, bins: [{ type: 'integer', nameBytes: 20 }] }
    const [one, two, single, fuller, memory] = await Promise.all([
      plan(base),
      plan({ ...base, replication: 2, readsPerSecond: 1000, writesPerSecond: 1000 }),
      plan({ ...base, singleBin: true }),
      plan({ ...base, utilisationPercent: 95 }),
      plan({ ...base, engine: 'memory' }),
    ])
    expect(two.dram.total).toBe(one.dram.total * 2)
    expect(one.record.binNames - single.record.binNames).toBe(20)
    expect(fuller.device?.writeAmplification).toBeGreaterThan(one.device?.writeAmplification ?? Infinity)
    expect(two.device?.readIops).toBeGreaterThanOrEqual(1000)
    expect([memory.flash, memory.device]).toEqual([undefined, undefined])
  })
})
