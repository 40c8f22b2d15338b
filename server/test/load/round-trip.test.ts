// What an export writes, an import with the defaults reads as the same records: in their sets, with their keys and expiry. Their
// generations are kept on request.
import { describe, expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import { bearer, useGateway } from '../gateway.js'

const engines = [
  ['memory', { engine: 'memory' }],
  ['device', { engine: 'device' }],
  ['paged', { engine: 'paged' }],
] as const

const ndjson = { 'content-type': 'application/x-ndjson' }
const csv = { 'content-type': 'text/csv' }
const msgpack = { 'content-type': 'application/msgpack' }

/** Exact text of the bins of a record: numbers beyond 2^53 are not read. */
const bins: readonly string[] = [
  '{"n":9223372036854775807,"least":-9223372036854775808}',
  '{"n":0.1,"tiny":5e-324,"large":1.7976931348623157e+308,"whole":2.0}',
  '{"bytes":{"$bytes":"AP8Q"},"none":null,"yes":true,"no":false}',
  '{"text":"","quoted":"say \\"hi\\"","lines":"a\\r\\nb,c","number":"007","truth":"true"}',
  '{"unicode":"Ж 漢 🦀","json":"{\\"a\\":null}","list":"[true]","slash":"\\\\N","bad":"{"}',
  '{"deep":{"a":[1,{"b":[null,"x",9007199254740993]}]},"empty":{},"nothing":[]}',
  '{"set":"a bin","digest":"too","key":"and this","$key":"and that","expiresAt":1}',
  '{}',
]
const keys = ['"ada"', '1', '"1"', '"a,b \\"c\\""', '"{}"', '{"bytes":"AP8="}', '"true"', '"0"']

interface Lines {
  set: string
  generation: number
  key: unknown
  digest: string
  expiresAt: string | null
}

/** The records of an export without what a write changes, in the order of their digests. Numbers are text, to be exact. */
const records = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    // No string of these records has a number where one could stand.
    .map((line) => JSON.parse(line.replace(/(?<=[:[,])-?\d[\d.e+-]*(?=[,}\]])/g, '"#$&"')) as Record<string, unknown>)
    .map(({ generation: _generation, updatedAt: _updatedAt, ...kept }) => kept)
    .toSorted((a, b) => String(a['digest']).localeCompare(String(b['digest'])))

/** The expiry to the hour, as it is whole seconds and is measured from now on. */
const toTheHour = (list: readonly Record<string, unknown>[]) =>
  list.map(({ expiresAt, ...kept }) => ({ ...kept, expiresAt: String(expiresAt).slice(0, 13) }))

describe.each(engines)('an export of a %s namespace', (engine, storage) => {
  const gateway = useGateway({ defaultThreads: 2 })
  const of = (name: string): string => `/api/v1/namespaces/${name}`
  const exported = async (name: string, query: string): Promise<string> =>
    (await gateway().send(`GET ${of(name)}/export?${query}`)).text
  const packed = async (name: string): Promise<Buffer> => {
    const answer = await gateway().app.inject({ url: `${of(name)}/export?format=msgpack`, headers: bearer })
    expect(answer.headers['content-type']).toBe('application/msgpack')
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="${name}.msgpack"`)
    return answer.rawPayload
  }
  const generations = async (name: string) => {
    const lines = (await exported(name, 'format=ndjson')).trim().split('\n')
    return Object.fromEntries(
      lines.map((line) => JSON.parse(line) as Lines).map(({ digest, generation }) => [digest, generation]),
    )
  }
  const made = (name: string) =>
    gateway().ok('POST /api/v1/namespaces', {
      body: { name, storage, segments: 4, durability: engine === 'memory' ? 'none' : 'relaxed' },
    })

  test('is read again as the same records, from each format, compressed too', async () => {
    const { ok } = gateway()
    await made('from')
    for (const set of ['s', 'other', '123']) {
      const lines = keys.map((key, at) => `{"key":${key},"ttlSeconds":${at === 1 ? 100_000 : 0},"bins":${bins[at]}}`)
      await ok(`POST ${of('from')}/sets/${set}/records`, { body: lines.join('\n'), headers: ndjson })
    }
    await ok(`POST ${of('from')}/records`, { body: '{"key":"ada","bins":{"of":"no set"}}', headers: ndjson })
    const wanted = records(await exported('from', 'format=ndjson'))
    expect(wanted).toHaveLength(3 * keys.length + 1)
    const files = [
      ['plain', await exported('from', 'format=ndjson'), ndjson],
      ['table', await exported('from', 'format=csv'), csv],
      ['values', await packed('from'), msgpack],
      ['gzip', gzipSync(await exported('from', 'format=csv')), { ...csv, 'content-encoding': 'gzip' }],
      ['both', gzipSync(await packed('from')), msgpack],
    ] as const
    for (const [name, body, headers] of files) {
      await made(name)
      const report = await ok(`POST ${of(name)}/import`, { body, headers })
      expect(report, name).toMatchObject({ inserted: wanted.length, rejectedTotal: 0 })
      expect(toTheHour(records(await exported(name, 'format=ndjson'))), name).toEqual(toTheHour(wanted))
    }
  })

  test('keeps the generations of its records if an import is asked to', async () => {
    const { ok } = gateway()
    const body = (n: number) => `{"key":"ada","bins":{"n":${n}}}`
    for (let n = 0; n < 4; n += 1) await ok(`POST ${of('from')}/sets/s/records`, { body: body(n), headers: ndjson })
    const wanted = await generations('from')
    expect(Math.max(...Object.values(wanted))).toBe(5)
    for (const [format, file, headers] of [
      ['ndjson', () => exported('from', 'format=ndjson'), ndjson],
      ['csv', () => exported('from', 'format=csv'), csv],
      ['msgpack', () => packed('from'), msgpack],
    ] as const) {
      const name = `kept-${format}`
      await made(name)
      await ok(`POST ${of(name)}/import`, { body: await file(), headers })
      expect(new Set(Object.values(await generations(name))), name).toEqual(new Set([1]))
      const report = await ok(`POST ${of(name)}/import?keepGenerations=true`, { body: await file(), headers })
      expect(report, name).toMatchObject({ updated: Object.keys(wanted).length, rejectedTotal: 0 })
      expect(await generations(name), name).toEqual(wanted)
    }
  })

  test('of one set goes to another, and lives as long as the namespace says', async () => {
    const { ok } = gateway()
    for (const [format, headers] of [
      ['ndjson', ndjson],
      ['csv', csv],
    ] as const) {
      const name = `one-${format}`
      await made(name)
      const body = await exported('from', `set=s&format=${format}&metadata=true`)
      await ok(`POST ${of(name)}/import?set=new&keepExpiry=false`, { body, headers })
      const lines = (await exported(name, 'format=ndjson')).trim().split('\n')
      const read = lines.map((line) => JSON.parse(line) as Lines)
      expect(read).toHaveLength(keys.length)
      expect(new Set(read.map(({ set, expiresAt }) => `${set} ${expiresAt}`)), name).toEqual(new Set(['new null']))
    }
  })

  test('that is cut off, or was changed by hand, costs its bad rows alone', async () => {
    const { ok } = gateway()
    for (const [format, headers, codes] of [
      ['ndjson', ndjson, { json_invalid: 1, key_missing: 1, name_invalid: 1 }],
      ['csv', csv, { csv_invalid: 1, key_missing: 1, name_invalid: 1 }],
    ] as const) {
      const name = `half-${format}`
      await made(name)
      const added =
        format === 'ndjson'
          ? '{"set":"s","digest":"00","bins":{}}\n{"set":"a b","key":1,"bins":{}}\n{"set":"s","key":"cut","bi'
          : ',s,,\n1,a b,,\n"cut,s'
      const first = '{"key":"k","bins":{"a":1}}\n'
      const body = format === 'ndjson' ? first + added : `$key,$set,$expiresAt,$otherBins\nk,,,"{""a"":1}"\n${added}`
      const report = await ok(`POST ${of(name)}/import`, { body, headers })
      expect(report).toMatchObject({ inserted: 1, rejectedTotal: 3, rejectedByCode: codes })
      expect(await ok(`GET ${of(name)}/records/k`)).toMatchObject({ bins: { a: 1 } })
    }
  })
})
