import { describe, expect, test } from 'vitest'
import { covered, mergeWords, originWords } from '../src/pages/indexes/index-words'
import { defaultName, indexSpec, type NewIndex } from '../src/pages/indexes/new-index'

const typed: NewIndex = { name: '', set: 'orders', kind: 'document', whole: false, bin: 'detail', path: 'total' }

describe('a new index', () => {
  test('covers one bin, without the path that only ranges have', () => {
    expect(indexSpec(typed, 2)).toEqual({ name: 'detail', set: 'orders', bin: 'detail', kind: 'document', threads: 2 })
  })

  test('covers whole records, whatever bin was typed', () => {
    const whole = { ...typed, whole: true, set: undefined }
    expect(indexSpec(whole, 1)).toEqual({ name: 'record', kind: 'document', threads: 1 })
    expect(indexSpec({ ...whole, name: 'mine' }, 1).name).toBe('mine')
    expect(defaultName(whole)).toBe('record')
  })

  test('of a range is of a bin, perhaps at a path', () => {
    const range = { ...typed, kind: 'range', whole: true } as const
    expect(indexSpec(range, 1)).toEqual({
      name: 'detail',
      set: 'orders',
      bin: 'detail',
      kind: 'range',
      path: 'total',
      threads: 1,
    })
    expect(indexSpec({ ...range, path: '' }, 1)).not.toHaveProperty('path')
  })
})

describe('an index in words', () => {
  test('says what it covers', () => {
    expect([covered({}), covered({ bin: 'a' }), covered({ bin: 'a', path: 'b.c' })]).toEqual([
      'whole record',
      'a',
      'a · b.c',
    ])
  })

  test('says where it is from', () => {
    expect(originWords({ state: 'ready', origin: 'built' })).toBe('built from the records by a job')
    expect(originWords({ state: 'building', origin: 'built' })).toBe('being built from the records by a job')
    expect(originWords({ state: 'ready', origin: 'snapshot' })).toContain('snapshot')
    expect(originWords({ state: 'ready', origin: 'recovered' })).toContain('crash')
  })

  test('says which merges go on', () => {
    expect(mergeWords({ running: 0, waiting: 0 })).toBe('none')
    expect(mergeWords({ running: 1, waiting: 12 })).toBe('running in 1 segment, waiting in 12')
    expect(mergeWords({ running: 0, waiting: 2 })).toBe('running in 0 segments, waiting in 2')
  })
})
