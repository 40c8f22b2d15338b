// How a client's frames of HTTP/2 are cut into parts.
import { describe, expect, test } from 'vitest'
import { Frames } from '../../src/network/http2/frames.js'

const [DATA, HEADERS, RST_STREAM] = [0, 1, 3]
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

function frame(type: number, length: number): Buffer {
  const bytes = Buffer.alloc(9 + length)
  bytes.writeUIntBE(length, 0, 3)
  bytes.writeUInt8(type, 3)
  return bytes
}

/** Lengths of the parts of what comes in pieces of `size` bytes. A piece ends a part, too. */
function parts(sent: Buffer, size: number, most: number): number[] {
  const frames = new Frames(most)
  const lengths: number[] = []
  for (let at = 0; at < sent.length; at += size) {
    for (let rest = sent.subarray(at, at + size); rest.length > 0;) {
      const length = frames.partOf(rest)
      lengths.push(length)
      rest = rest.subarray(length)
    }
  }
  return lengths
}

describe('frames of a client', () => {
  const head = frame(HEADERS, 20)
  const reset = frame(RST_STREAM, 4)
  const data = frame(DATA, 300)

  test('a part begins as many streams as it may, and ends behind the end of one', () => {
    const sent = Buffer.concat([PREFACE, head, data, head, data, head, reset, data, data, reset, reset])
    const [begun, rest] = [head.length, data.length]
    expect(parts(sent, sent.length, 1)).toEqual([
      PREFACE.length + begun + rest,
      begun + rest,
      begun + reset.length,
      2 * rest + reset.length,
      reset.length,
    ])
    expect(parts(sent, sent.length, 2)[0]).toBe(PREFACE.length + 2 * (begun + rest))
  })

  test.each([1, 2, 3, 8, 9, 10, 28, 29, 30, 299, 1000])('pieces of %i bytes lose none, and begin no more', (size) => {
    const sent = Buffer.concat([PREFACE, ...Array.from({ length: 50 }, (_, i) => (i % 3 === 0 ? data : head))])
    const lengths = parts(sent, size, 1)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(sent.length)
    // A head that is split over two pieces is passed on with the first one.
    expect(Math.min(...lengths)).toBeGreaterThan(0)
    let at = 0
    const begins = [...starts(sent)]
    for (const length of lengths) {
      expect(begins.filter((start) => start >= at && start + 9 <= at + length).length).toBeLessThanOrEqual(1)
      at += length
    }
  })

  test('a frame of a length of nothing, and one as long as may be, are passed on', () => {
    const longest = frame(DATA, 0xffffff)
    const sent = Buffer.concat([PREFACE, frame(RST_STREAM, 0), longest, head, head])
    expect(parts(sent, sent.length, 1)).toEqual([PREFACE.length + 9 + longest.length + head.length, head.length])
  })
})

/** Where frames with heads of streams begin. */
function* starts(sent: Buffer): Generator<number> {
  for (let at = PREFACE.length; at < sent.length; at += 9 + sent.readUIntBE(at, 3)) {
    if (sent.readUInt8(at + 3) === HEADERS) yield at
  }
}
