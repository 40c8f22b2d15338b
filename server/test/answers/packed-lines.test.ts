// Lines of JSON become values of MessagePack, in whatever pieces they come.
import { describe, expect, test } from 'vitest'
import { packLines } from '../../src/answers/packed-lines.js'
import { packJson } from '../../src/msgpack/from-json.js'

async function* coming(pieces: readonly Buffer[], failure?: Error): AsyncGenerator<Buffer> {
  yield* pieces
  if (failure !== undefined) throw failure
}

async function packed(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const out: Buffer[] = []
  for await (const piece of packLines(pieces)) out.push(piece)
  return out
}

describe('lines of JSON as values', () => {
  const lines = ['{"n":9223372036854775807,"raw":{"$bytes":"AP8="}}', '{"t":"é\\n☃"}', '[]', '7', 'null', '"x"']
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const values = Buffer.concat(lines.map(packJson))

  test('are the same wherever the pieces are cut', async () => {
    for (let at = 0; at <= text.length; at += 1) {
      const out = await packed(coming([text.subarray(0, at), text.subarray(at)]))
      expect([at, Buffer.concat(out).equals(values)]).toEqual([at, true])
    }
  })

  test('need no end behind the last line, and an empty one is none', async () => {
    expect(await packed(coming([]))).toEqual([])
    expect(Buffer.concat(await packed(coming([Buffer.from('\n1\n\n2')])))).toEqual(Buffer.from([1, 2]))
  })

  test('come some in a turn of the event loop, and a long one alone', async () => {
    const long = JSON.stringify('x'.repeat(100_000))
    const many = Array.from({ length: 20_000 }, () => '1')
    const out = await packed(coming([Buffer.from([...many, long, '2', ''].join('\n'))]))
    expect(Buffer.concat(out)).toEqual(Buffer.concat([Buffer.alloc(20_000, 1), packJson(long), packJson('2')]))
    expect(out.length).toBeGreaterThan(2)
    expect(Math.max(...out.slice(0, -2).map(({ length }) => length))).toBeLessThan(20_000)
  })

  test('a failure comes behind the lines before it, and drops the half of one', async () => {
    const out: Buffer[] = []
    const all = async () => {
      for await (const piece of packLines(coming([Buffer.from('1\n{"a":')], new Error('the disk is gone'))))
        out.push(piece)
    }
    await expect(all()).rejects.toThrow('the disk is gone')
    expect(Buffer.concat(out)).toEqual(Buffer.from([1]))
  })
})
