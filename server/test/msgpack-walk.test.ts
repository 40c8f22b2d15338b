// Where values of MessagePack end.
import { describe, expect, test } from 'vitest'
import { encode } from '../src/msgpack/encode.js'
import { Walk } from '../src/msgpack/walk.js'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

describe('a walk', () => {
  test.each([
    ['c0'],
    ['e0'],
    ['a161'],
    ['82a16101a16202'],
    ['93c0c2c3'],
    ['c40100'],
    ['c5000100'],
    ['c6000000010a'],
    ['c7010500'],
    ['c80001050a'],
    ['c900000001050a'],
    ['ca00000000'],
    ['cb0000000000000000'],
    ['cd0000'],
    ['cf0000000000000000'],
    ['d000'],
    ['d30000000000000000'],
    ['d40500'],
    [`d805${'00'.repeat(16)}`],
    ['d90161'],
    ['da000161'],
    ['db0000000161'],
    ['dc0001c0'],
    ['dd00000001c0'],
    ['de0001a161c0'],
    ['df00000001a161c0'],
  ])('knows the end of %s, however it is cut', (text) => {
    const value = hex(text)
    for (let cut = 0; cut <= value.length; cut += 1) {
      const walk = new Walk()
      walk.step(value.subarray(0, cut))
      expect(walk.whole, `${cut}`).toBe(cut === 0 || cut === value.length)
      for (const byte of value.subarray(cut)) walk.step(Buffer.of(byte))
      expect(walk.whole).toBe(true)
      walk.step(hex('81'))
      expect(walk.whole).toBe(false)
    }
  })

  test('goes through a long stream in pieces', () => {
    const record = encode('msgpack', { key: 'k', bins: { text: 'x'.repeat(70_000), list: Array(300).fill(7) } })
    const stream = Buffer.concat([record, record, record])
    const walk = new Walk()
    for (let at = 0; at < stream.length; at += 1000) walk.step(stream.subarray(at, at + 1000))
    expect(walk.whole).toBe(true)
  })
})
