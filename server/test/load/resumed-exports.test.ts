// An export that broke off goes on behind the last whole row, wherever it was cut.
import { describe, expect, test } from 'vitest'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { bearer, useGateway } from '../gateway.js'

const engines = [
  ['memory', { engine: 'memory' }],
  ['device', { engine: 'device' }],
  ['paged', { engine: 'paged' }],
] as const

const RECORDS = 240
const SETS = ['users', 'events', '']

interface Row {
  digest: string
  key: unknown
}

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

/** What a reader has that was cut off: the whole lines, and how to go on. */
function cut(bytes: Buffer, at: number): { whole: string; after: string | undefined } {
  const end = bytes.subarray(0, at).lastIndexOf('\n') + 1
  const whole = bytes.subarray(0, end).toString()
  return { whole, after: rowsOf(whole).at(-1)?.digest }
}

describe.each(engines)('a %s namespace', (engine, storage) => {
  const gateway = useGateway({ defaultThreads: 3 })
  const path = `/api/v1/namespaces/${engine}`
  const exported = async (query: string) => {
    const answer = await gateway().app.inject({ url: `${path}/export?${query}`, headers: bearer })
    expect(answer.statusCode, answer.body).toBe(200)
    return { bytes: answer.rawPayload, id: String(answer.headers['x-export-id']), headers: answer.headers }
  }
  const refused = async (query: string) => {
    const { status, json } = await gateway().send(`GET ${path}/export?${query}`)
    const { code, field } = json<{ code: string; field?: string }>()
    return `${status} ${code}${field === undefined ? '' : ` ${field}`}`
  }

  test('goes on behind the last whole row, wherever it is cut', async () => {
    await gateway().ok('POST /api/v1/namespaces', { body: { name: engine, storage, segments: 16 } })
    for (const set of SETS) {
      const rows = Array.from({ length: RECORDS / SETS.length }, (_, n) =>
        JSON.stringify({ key: n % 2 === 0 ? n : `a"b,\n${n}`, bins: { n, text: 'ä€🦀"'.repeat(n % 9) } }),
      )
      const to = set === '' ? 'records' : `sets/${set}/records`
      const headers = { 'content-type': 'application/x-ndjson' }
      await gateway().ok(`POST ${path}/${to}`, { body: `${rows.join('\n')}\n`, headers })
    }
    const { bytes, id } = await exported('resumable=true')
    expect(id).toMatch(/^[0-9a-f]{32}-digests$/)
    expect(rowsOf(bytes.toString())).toHaveLength(RECORDS)
    for (let at = 0; at <= bytes.length; at += 1 + Math.floor(bytes.length / 40)) {
      const { whole, after } = cut(bytes, at)
      const rest = await exported(after === undefined ? 'resumable=true' : `after=${after}&exportId=${id}`)
      expect(whole + rest.bytes.toString() === bytes.toString(), `cut at ${at}`).toBe(true)
    }
  })

  test('also of CSV, of MessagePack, and in a compressed answer', async () => {
    const ordered = rowsOf((await exported('resumable=true')).bytes.toString())
    const csv = (await exported('resumable=true&format=csv')).bytes.toString()
    const columns = csv.slice(0, csv.indexOf('\n')).split(',').slice(5).join()
    const { key, digest } = ordered[99] ?? { key: '', digest: '' }
    const rest = await exported(`format=csv&after=${digest}&columns=${columns}&otherBins=true`)
    expect(csv.endsWith(rest.bytes.toString())).toBe(true)
    const type = typeof key === 'number' ? 'integer' : 'string'
    const { set } = ordered[99] as unknown as { set: string }
    const named = `format=csv&afterKey=${encodeURIComponent(String(key))}&keytype=${type}&afterSet=${set}&columns=${columns}`
    expect((await exported(`${named}&otherBins=true`)).bytes.equals(rest.bytes)).toBe(true)
    const packed = (await exported('resumable=true&format=msgpack')).bytes
    const tail = (await exported(`format=msgpack&after=${digest}`)).bytes
    expect(packed.subarray(packed.length - tail.length).equals(tail)).toBe(true)
    // Of a compressed answer, what is there can be read up to its cut.
    const all = Buffer.from(ordered.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const zipped = gzipSync(all)
    const part = gunzipSync(zipped.subarray(0, zipped.length / 2), { finishFlush: constants.Z_SYNC_FLUSH })
    const { whole, after } = cut(part, part.length)
    expect(rowsOf(whole).length + rowsOf((await exported(`after=${after}`)).bytes.toString()).length).toBe(RECORDS)
  })

  test('a row that is gone, a set, and records that match', async () => {
    const all = rowsOf((await exported('resumable=true&set=users')).bytes.toString())
    const last = all[20] ?? { key: '', digest: '' }
    const type = typeof last.key === 'number' ? 'integer' : 'string'
    await gateway().ok(`DELETE ${path}/sets/users/records/${encodeURIComponent(String(last.key))}?keytype=${type}`)
    expect(rowsOf((await exported(`set=users&after=${last.digest}`)).bytes.toString())).toEqual(all.slice(21))
    const where = encodeURIComponent('{"bin":"n","op":"lt","value":30}')
    const some = rowsOf((await exported(`resumable=true&where=${where}`)).bytes.toString())
    const rest = rowsOf((await exported(`where=${where}&after=${some[7]?.digest}`)).bytes.toString())
    expect(rest).toEqual(some.slice(8))
  })

  test('what cannot be is refused', async () => {
    const digest = '0'.repeat(40)
    expect(await refused('after=zz')).toBe('400 key_invalid after')
    expect(await refused(`after=${digest}&afterKey=a`)).toBe('400 field_invalid afterKey')
    expect(await refused('afterSet=users')).toBe('400 field_invalid afterSet')
    expect(await refused('keytype=integer')).toBe('400 field_invalid keytype')
    expect(await refused('afterKey=a&keytype=integer')).toBe('400 key_invalid afterKey')
    expect(await refused('exportId=a')).toBe('400 field_invalid exportId')
    expect(await refused(`after=${digest}&resumable=false`)).toBe('400 field_invalid resumable')
    expect(await refused(`after=${digest}&set=nobody`)).toBe('404 set_not_found set')
    expect(await refused(`after=${digest}&format=csv`)).toBe('400 config_invalid columns')
    expect(await refused(`after=${digest}&exportId=of-another`)).toBe('400 cursor_invalid exportId')
  })

  test('a truncation leaves the other sets to go on with, and a namespace that was replaced is told', async () => {
    const { bytes, id } = await exported('resumable=true')
    const [row] = rowsOf(bytes.toString())
    for (const set of SETS.filter((name) => name !== ''))
      await gateway().ok('POST /api/v1/jobs?wait=30s', {
        body: { kind: 'truncate', namespace: engine, set, forGood: true },
      })
    const rest = rowsOf((await exported(`after=${row?.digest}&exportId=${id}`)).bytes.toString())
    expect(rest.every((one) => (one as unknown as { set: string }).set === '')).toBe(true)
    await gateway().ok(`DELETE ${path}?forGood=true`, { headers: { 'x-confirm': engine } })
    expect(await refused(`after=${row?.digest}&exportId=${id}`)).toBe('404 namespace_not_found')
    await gateway().ok('POST /api/v1/namespaces', { body: { name: engine, storage } })
    expect(await refused(`after=${row?.digest}&exportId=${id}`)).toBe('400 cursor_invalid exportId')
  })

  test('an export that is not resumable has no id', async () => {
    expect((await exported('format=ndjson')).headers['x-export-id']).toBeUndefined()
  })
})
