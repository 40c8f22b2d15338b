// A disk whose syncs do not end holds up those who write to it, and nobody who reads other records.
import { holdSyncs } from '@tessera/native'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { bearer, useGateway } from '../gateway.js'
import { turnsUntil } from '../turns.js'

const WRITERS = 64
const guarded = holdSyncs(false)

describe.skipIf(!guarded).each(['device', 'paged'])('writes to a stalled disk, %s', (engine) => {
  const gateway = useGateway()
  afterEach(() => void holdSyncs(false))

  test('hold up no read of another record', async () => {
    const { app, ok } = gateway()
    const size = { device: {}, paged: { pageBytes: 4096 } }[engine]
    await ok('POST /api/v1/namespaces', {
      body: { name: 'n', storage: { engine, ...size }, durability: 'commit', segments: 16 },
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1/namespaces/n/sets/s/records`
    const put = (key: number, i: number) =>
      fetch(`${origin}/${key}`, {
        method: 'PUT',
        headers: { ...bearer, 'content-type': 'application/json' },
        body: JSON.stringify({ i }),
      })
    const read = (key: number) => fetch(`${origin}/${key}`, { headers: bearer })
    for (let key = 0; key < WRITERS; key += 1) expect((await put(key, key)).status).toBe(201)

    holdSyncs(true)
    let acknowledged = 0
    const writes = Array.from({ length: WRITERS }, (_, n) =>
      put(WRITERS + n, n).then(({ status }) => {
        acknowledged += 1
        return status
      }),
    )
    // All of them are in the index, and wait for the disk.
    await turnsUntil(() => app.engine.size('n', 's') === 2 * WRITERS)
    let read1 = false
    const inFlight = read(WRITERS).then(({ status }) => {
      read1 = true
      return status
    })
    for (let key = 0; key < WRITERS; key += 1) {
      const answer = await read(key)
      expect([answer.status, await answer.json()]).toMatchObject([200, { bins: { i: key } }])
    }
    expect([acknowledged, read1]).toEqual([0, false])

    holdSyncs(false)
    expect(new Set(await Promise.all(writes))).toEqual(new Set([201]))
    expect(await inFlight).toBe(200)
  })
})
