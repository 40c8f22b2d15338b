import { afterAll, describe, expect, test } from 'vitest'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// The history of metrics is the same before and after `kill -9`, but for its last seconds.

interface Frame {
  seq: number
  time: string
  durationMs: number
  latency: Record<string, unknown>[]
  sizes: { namespace: string; records: number }[]
}

const records = '/api/v1/namespaces/shop/sets/carts/records'
/** Records of the set, from the first look on. */
const CARTS = 100
const LOST_MAX_MS = 60_000
const home = newHome()
let gateway: Gateway | undefined

afterAll(async () => {
  await gateway?.stop()
  removeHome(home)
})

async function history(target: Gateway, step: string, toMs: number): Promise<Frame[]> {
  const to = new Date(toMs).toISOString()
  const path = `/api/v1/metrics/history?step=${step}&to=${to}`
  return (await call<{ items: Frame[] }>(target, 'GET', path)).items
}

async function writtenBytes(target: Gateway): Promise<number> {
  const { history: files } = await call<{ history: { bytes: number } }>(target, 'GET', '/api/v1/status')
  return files.bytes
}

/** Reads and writes, now and then, until the files of the history have grown. */
async function workUntilWritten(target: Gateway): Promise<void> {
  const before = await writtenBytes(target)
  let n = 0
  const worked = async (): Promise<number> => {
    await send(target, 'PUT', `${records}/cart-${n % CARTS}`, { n, items: ['a', 'b'] })
    await send(target, 'GET', `${records}/cart-${n % (2 * CARTS)}`)
    n += 1
    return writtenBytes(target)
  }
  await expect.poll(worked).toBeGreaterThan(before)
}

describe('kill -9 of the gateway', () => {
  test('leaves the history as it was, but for its last seconds', async () => {
    gateway = await startGateway(home)
    await createNamespace(gateway, { name: 'shop', storage: { engine: 'device' } })
    for (let n = 0; n < CARTS; n += 1) await send(gateway, 'PUT', `${records}/cart-${n}`, { n, items: ['a', 'b'] })
    await workUntilWritten(gateway)
    const safe = (await history(gateway, '1s', Date.now())).at(-1)
    await workUntilWritten(gateway)

    const [first, newest] = [await history(gateway, '1s', Date.now()), await history(gateway, '5s', Date.now())]
    const killedMs = Date.now()
    await gateway.stop('SIGKILL')
    gateway = await startGateway(home)

    for (const [before, step] of [
      [first, '1s'],
      [newest, '5s'],
    ] as const) {
      const after = await history(gateway, step, killedMs)
      // The last step may have lost a part of its seconds.
      const whole = step === '1s' ? after : after.slice(0, -1)
      expect(whole).toEqual(before.slice(0, whole.length))
      const last = Date.parse(after.at(-1)?.time ?? '')
      expect(last).toBeGreaterThanOrEqual(Date.parse(safe?.time ?? ''))
      expect(killedMs - last).toBeLessThan(LOST_MAX_MS)
    }
    expect(first.some(({ latency }) => latency.length > 0)).toBe(true)
    expect(
      first.some(({ sizes }) => sizes.some(({ namespace, records: held }) => namespace === 'shop' && held === CARTS)),
    ).toBe(true)

    // New frames go on behind a gap, with higher numbers.
    const target = gateway
    const after = async (): Promise<number | undefined> => (await history(target, '1s', Date.now())).at(-1)?.seq
    await expect.poll(after).toBeGreaterThan(first.at(-1)?.seq ?? Infinity)
  })
})
