import { randomInt } from 'node:crypto'
import { EventEmitter, on, once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { call, createNamespace, send, type StoredRecord } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

// `kill -9` of the whole gateway while an import and single writes go into a device namespace with durability "commit".

const records = '/api/v1/namespaces/ledger/sets/entries/records'
const home = newHome()
let gateway: Gateway | undefined

afterAll(async () => {
  await gateway?.stop()
  removeHome(home)
})

/** Bins that tell whether they belong together. */
const bins = (n: number): Record<string, unknown> => ({ n, square: n * n, text: `entry ${n} `.repeat(20) })

/** 2,000 rows for each turn: an import that went as fast as it can would store gigabytes until the blow falls. */
async function* rows(turns: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  let n = 0
  for await (const _ of turns) {
    for (const end = n + 2000; n < end; n += 1) yield { key: `row-${n}`, ...bins(n) }
  }
}

interface Acknowledged {
  kept: Map<string, number>
  deleted: Set<string>
}

/** Puts records one by one, deletes every third, and notes and tells what the gateway acknowledged, until it is gone. */
async function write(target: Gateway, round: number, noted: Acknowledged, tell: EventEmitter): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `single-${round}-${n}`
    try {
      const put = await send(target, 'PUT', `${records}/${key}`, bins(n))
      if (!put.ok) throw new Error(`PUT answered ${put.status}: ${await put.text()}`)
      noted.kept.set(key, n)
      if (n % 3 === 0) {
        noted.kept.delete(key)
        const gone = await send(target, 'DELETE', `${records}/${key}`)
        if (!gone.ok) throw new Error(`DELETE answered ${gone.status}: ${await gone.text()}`)
        noted.deleted.add(key)
      }
    } catch (error) {
      if (error instanceof TypeError) return // the connection is gone with the gateway
      throw error
    }
    tell.emit('acknowledged')
    if (n === 40) tell.emit('enough')
  }
}

/** Every record of the set, as it is stored: more than fits into one string. */
async function* scanned(target: Gateway): AsyncGenerator<StoredRecord> {
  const path = '/api/v1/namespaces/ledger/scan'
  const response = await send(target, 'POST', path, { set: 'entries', threads: 2 }, 'application/x-ndjson')
  const input = Readable.fromWeb(response.body as never)
  for await (const line of createInterface({ input })) yield JSON.parse(line) as StoredRecord
}

describe('kill -9 during an import', () => {
  test('keeps every acknowledged record, whole, and no deleted one', async () => {
    const noted: Acknowledged = { kept: new Map(), deleted: new Set() }
    gateway = await startGateway(home)
    await createNamespace(gateway, { name: 'ledger', storage: { engine: 'device' }, durability: 'commit' })

    for (let round = 0; round < 3; round += 1) {
      const target = gateway
      const told = new EventEmitter()
      const turns = on(told, 'acknowledged', { close: ['over'] })
      const importing = importRows(target, 'ledger', 'entries', rows(turns)).catch((error: unknown) => error)
      const hasEnough = once(told, 'enough')
      const writing = write(target, round, noted, told).finally(() => told.emit('over'))
      await Promise.race([hasEnough, writing])
      // A few more writes than enough, so that the blow falls at another place each time.
      for (let i = randomInt(20); i > 0; i -= 1) await send(target, 'GET', '/healthz')
      await target.stop('SIGKILL')
      await writing
      await importing

      gateway = await startGateway(home)
      for (const [key, n] of noted.kept) {
        const record = await call<StoredRecord>(gateway, 'GET', `${records}/${key}`)
        expect(record.bins).toEqual(bins(n))
      }
      for (const key of noted.deleted) {
        expect((await send(gateway, 'GET', `${records}/${key}`)).status).toBe(404)
      }
    }

    let count = 0
    for await (const record of scanned(gateway)) {
      count += 1
      expect(record.bins).toMatchObject(bins(Number(record.bins['n'])))
    }
    const size = await call<{ records: number }>(gateway, 'GET', '/api/v1/namespaces/ledger/size?set=entries')
    expect(count).toBe(size.records)
    expect(count).toBeGreaterThanOrEqual(noted.kept.size)
  })
})
