// Where a file that was cut off goes on: behind its last whole row, in every format.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Format, lastRowOf } from '../../src/cli/partial-file.js'
import { encode } from '../../src/msgpack/encode.js'

let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
})

afterAll(() => rm(directory, { recursive: true }))

async function last(content: Buffer, format: Format, columns?: string) {
  const path = join(directory, format)
  await writeFile(path, content)
  return lastRowOf(path, format, columns)
}

const digests = Array.from({ length: 40 }, (_, n) => n.toString(16).padStart(40, '0'))
const text = (n: number): string => `"ä€\\n${'x'.repeat(n % 7)}"`

/** What is found at every cut, and what is to be. */
async function everyCut(rows: readonly Buffer[], format: Format) {
  const all = Buffer.concat(rows)
  const ends = rows.map((_, at) => Buffer.concat(rows.slice(0, at + 1)).length)
  const [found, wanted]: [unknown[], unknown[]] = [[], []]
  for (let cut = 0; cut <= all.length; cut += 1) {
    const whole = ends.filter((end) => end <= cut).length
    const bytes = ends[whole - 1] ?? 0
    wanted.push(whole === 0 ? { bytes } : { bytes, after: { after: digests[whole - 1] } })
    found.push(await last(all.subarray(0, cut), format))
  }
  return { found, wanted }
}

describe('the last whole row', () => {
  test('of lines', async () => {
    const { found, wanted } = await everyCut(
      digests
        .slice(0, 6)
        .map((digest, n) => Buffer.from(`{"set":"","key":${n},"digest":"${digest}","bins":{"a":${text(n)}}}\n`)),
      'ndjson',
    )
    expect(found).toEqual(wanted)
  })

  test('of maps', async () => {
    const rows = digests
      .slice(0, 6)
      .map((digest, n) => ({ key: n, digest, bins: { list: [n, text(n), { deep: null }] } }))
    const { found, wanted } = await everyCut(
      rows.map((row) => encode('msgpack', row)),
      'msgpack',
    )
    expect(found).toEqual(wanted)
  })

  test('may stand for a record that cannot be read; the reason of a server that gave up is none', async () => {
    const [first = '', second = ''] = digests
    const rows = [{ digest: first }, { error: { code: 'record_damaged', message: 'm', set: '', digest: second } }]
    const reason = { error: { code: 'closed', message: 'the server is closing' } }
    for (const [count, digest] of [
      [1, first],
      [2, second],
    ] as const) {
      const lines = rows.slice(0, count).map((row) => `${JSON.stringify(row)}\n`)
      const bytes = lines.join('').length
      const line = Buffer.from(`${lines.join('')}${JSON.stringify(reason)}\n`)
      expect(await last(line, 'ndjson')).toEqual({ bytes, after: { after: digest } })
      const maps = Buffer.concat(rows.slice(0, count).map((row) => encode('msgpack', row)))
      const packed = Buffer.concat([maps, encode('msgpack', reason)])
      expect(await last(packed, 'msgpack')).toEqual({ bytes: maps.length, after: { after: digest } })
    }
    await expect(last(Buffer.from('a,b\n1,2\n'), 'ndjson')).rejects.toThrow('a line is no JSON')
  })

  test('of long lines', async () => {
    const line = (n: number) => `{"digest":"${digests[n]}","bins":{"a":"${'x'.repeat(1_500_000)}"}}\n`
    const [one, two] = [line(1), line(2)]
    expect(await last(Buffer.from(one + two), 'ndjson')).toEqual({
      bytes: 2 * one.length,
      after: { after: digests[2] },
    })
    expect(await last(Buffer.from(one + two.slice(0, -5)), 'ndjson')).toEqual({
      bytes: one.length,
      after: { after: digests[1] },
    })
  })

  test('of a table: its key with its type, its set, and the columns', async () => {
    const head = '$key,$set,$generation,$expiresAt,$otherBins,n,text\n'
    const rows: [row: string, after: Record<string, string>][] = [
      ['ada,users,1,,,1,a\n', { afterKey: 'ada', keytype: 'string', afterSet: 'users' }],
      ['-7,users,1,,,1,"a\n,""b"""\n', { afterKey: '-7', keytype: 'integer', afterSet: 'users' }],
      ['"7","",1,,,1,a\n', { afterKey: '7', keytype: 'string', afterSet: '' }],
      ['"{""bytes"":""AP8=""}",s,1,,,1,a\n', { afterKey: 'AP8=', keytype: 'bytes', afterSet: 's' }],
      ['"\\{""bytes"":""AP8=""}",s,1,,,1,a\n', { afterKey: '{"bytes":"AP8="}', keytype: 'string', afterSet: 's' }],
      ['"a,b\n""c""",s,1,,,1,a\n', { afterKey: 'a,b\n"c"', keytype: 'string', afterSet: 's' }],
    ]
    let before = head
    for (const [row, after] of rows) {
      before += row
      const wanted = { bytes: Buffer.byteLength(before), after: { ...after, columns: 'n,text', otherBins: 'true' } }
      expect(await last(Buffer.from(`${before}"half of a row,\n`), 'csv')).toEqual(wanted)
    }
    expect(await last(Buffer.from(head), 'csv')).toEqual({ bytes: 0 })
    const plain = await last(Buffer.from('key,n\nada,1\n'), 'csv', 'n')
    expect(plain).toEqual({ bytes: 12, after: { afterKey: 'ada', keytype: 'string', columns: 'n' } })
    await expect(last(Buffer.from('key,"a,b"\nada,1\n'), 'csv')).rejects.toThrow('a comma in its name')
  })
})
