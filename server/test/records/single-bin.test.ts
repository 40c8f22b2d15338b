// Namespaces whose records have one bin: every way in and out calls it "value".
import { describe, expect, test } from 'vitest'
import { useGateway } from '../gateway.js'

const ns = '/api/v1/namespaces/one'
const ndjson = { 'content-type': 'application/x-ndjson' }

describe('a single-bin namespace', () => {
  const gateway = useGateway()

  test('takes one bin and refuses others by name', async () => {
    const { send, ok } = gateway()
    const body = { name: 'one', storage: { engine: 'memory' }, segments: 4, singleBin: true }
    expect(await ok('POST /api/v1/namespaces', { body })).toMatchObject({ config: { singleBin: true } })
    const bad = async (line: string, body: object) => {
      const answer = await send(line, { body })
      expect(answer.json()).toMatchObject({ status: 400, code: 'single_bin' })
    }
    await bad(`PUT ${ns}/sets/s/records/1`, { other: 1 })
    await bad(`PUT ${ns}/sets/s/records/1`, { value: 1, other: 1 })
    await bad(`PUT ${ns}/sets/s/records/1`, {})
    await bad(`POST ${ns}/sets`, { name: 'placed', distributionBin: 'home' })
    await bad(`POST ${ns}/indexes`, { name: 'i', bin: 'home', kind: 'range' })
    await ok(`PUT ${ns}/sets/s/records/1`, { body: { value: { a: [1, 2] } } })
    expect(await ok(`GET ${ns}/sets/s/records/1`)).toMatchObject({ bins: { value: { a: [1, 2] } } })
    await bad(`PATCH ${ns}/sets/s/records/1`, { other: 1 })
    await bad(`PATCH ${ns}/sets/s/records/1`, { value: null })
    await ok(`PATCH ${ns}/sets/s/records/1`, { body: { value: 5 } })
    expect(await ok(`GET ${ns}/sets/s/records/1?bins=value`)).toMatchObject({ bins: { value: 5 } })
    expect(await ok(`GET ${ns}/sets/s/records/1?bins=other`)).toMatchObject({ bins: {} })
  })

  test('is loaded, searched and exported by that name', async () => {
    const { send, ok } = gateway()
    const csv = `key,value\n${Array.from({ length: 50 }, (_, n) => `k${n},${n}`).join('\n')}\n`
    expect(
      await ok(`POST ${ns}/import?set=numbers&format=csv&key=key`, {
        body: csv,
        headers: { 'content-type': 'text/csv' },
      }),
    ).toMatchObject({ rows: 50, inserted: 50 })
    const wrong = await ok<{ rejects: { code: string }[] }>(`POST ${ns}/import?set=numbers&format=ndjson&key=key`, {
      body: '{"key":"k1","other":1}\n',
      headers: ndjson,
    })
    expect(wrong).toMatchObject({ inserted: 0, updated: 0 })
    expect(JSON.stringify(wrong)).toContain('single_bin')

    const where = { bin: 'value', op: 'lt', value: 10 }
    const query = () => ok<{ records: object[] }>(`POST ${ns}/query`, { body: { set: 'numbers', where } })
    expect((await query()).records).toHaveLength(10)
    await ok(`POST ${ns}/indexes?wait=10s`, { body: { name: 'byValue', bin: 'value', kind: 'range' } })
    expect((await query()).records).toHaveLength(10)
    const exported = await send(`GET ${ns}/export?set=numbers&format=csv`)
    const rows = exported.text.trim().split('\n')
    expect([rows.length, rows[0]?.includes('value')]).toEqual([51, true])
    const again = await send(`GET ${ns}/export?set=numbers&format=ndjson`)
    expect(await ok(`POST ${ns}/import?set=copy&format=ndjson`, { body: again.text, headers: ndjson })).toMatchObject({
      inserted: 50,
    })
  })
})
