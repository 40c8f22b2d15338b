import { expect, test, vi } from 'vitest'
import { RecordWindow } from '../src/pages/records/list/record-window'
import type { RecordPage } from '../src/records/client'

const PAGE = 10

/** A set of records that can be changed, and the cursors that were read. */
function setOf(size: number) {
  let digests = Array.from({ length: size }, (_, at) => String(at).padStart(6, '0'))
  const reads: (string | undefined)[] = []
  /** `cursor`: the last digest before the page */
  const page = (cursor: string | undefined): RecordPage => {
    const left = digests.filter((digest) => cursor === undefined || digest > cursor)
    const items = left.slice(0, PAGE).map((digest) => ({ digest }))
    const more = left.length > PAGE
    return { items, cursor: more ? items.at(-1)?.digest : undefined, truncated: more }
  }
  const window = new RecordWindow(async (cursor) => {
    reads.push(cursor)
    return page(cursor)
  })
  const remove = (digest: string): void => void (digests = digests.filter((one) => one !== digest))
  return { window, reads, remove, begin: () => window.take(page(undefined)) }
}

const at = (window: RecordWindow, index: number): unknown => {
  const record = window.at(index)
  return typeof record === 'object' && record !== null && 'digest' in record ? record['digest'] : undefined
}

test('what comes after the view is read before it is needed, and no more', async () => {
  const { window, reads, begin } = setOf(5000)
  begin()
  window.see(0, 20)
  await vi.waitFor(() => expect(window.known).toBeGreaterThan(420))
  expect(reads.length).toBe(42)
  expect(at(window, 20)).toBe('000020')
  expect(window.whole).toBe(false)
  expect(window.count).toBeGreaterThan(window.known)
})

test('a first page that was read before is there at once, and taken only once', () => {
  const first: RecordPage = { items: [{ digest: '000000' }], cursor: undefined, truncated: false }
  const window = new RecordWindow(() => Promise.reject(new Error('nothing is left to read')), first)
  expect([window.known, window.whole, at(window, 0)]).toEqual([1, true, '000000'])
  const before = window.version()
  window.take(first)
  expect(window.version()).toBe(before)
  window.take({ ...first, items: [{ digest: '000001' }] })
  expect([window.version() > before, at(window, 0)]).toEqual([true, '000001'])
})

test('a set that ends is known whole', async () => {
  const { window, begin } = setOf(25)
  begin()
  window.see(0, 9)
  await vi.waitFor(() => expect(window.whole).toBe(true))
  expect([window.known, window.count]).toEqual([25, 25])
  expect(at(window, 24)).toBe('000024')
  expect(window.at(25)).toBeUndefined()
})

test('few pages are held, and an earlier one is read again when it comes back', async () => {
  const { window, reads, begin } = setOf(3000)
  begin()
  for (let first = 0; first < 2600; first += 300) {
    window.see(first, first + 20)
    await vi.waitFor(() => expect(window.known).toBeGreaterThanOrEqual(Math.min(3000, first + 420)))
  }
  expect(window.held().length).toBeLessThanOrEqual(150)
  expect(window.at(100)).toBeUndefined()
  const before = reads.length
  window.see(100, 120)
  await vi.waitFor(() => expect(at(window, 100)).toBe('000100'))
  expect(reads.slice(before)).toContain('000099')
  expect(window.indexOf('000100', 100)).toBe(100)
})

test('after a deletion no record is shown twice, and none is left out', async () => {
  const { window, remove, begin } = setOf(60)
  begin()
  window.see(0, 59)
  await vi.waitFor(() => expect(window.whole).toBe(true))
  remove('000005')
  remove('000033')
  begin()
  await vi.waitFor(() => expect(window.known).toBe(58))
  await vi.waitFor(() => expect(window.whole).toBe(true))
  const shown = Array.from({ length: 58 }, (_, index) => at(window, index))
  expect(new Set(shown).size).toBe(58)
  expect(shown).not.toContain('000005')
  expect(shown).toContain('000034')
})

test('a failed read stops until it is tried again', async () => {
  let fails = true
  const window = new RecordWindow(async () => {
    if (fails) throw new Error('no server')
    return { items: [{ digest: 'b' }], cursor: undefined, truncated: false }
  })
  window.take({ items: [{ digest: 'a' }], cursor: 'a', truncated: true })
  await vi.waitFor(() => expect(window.error).toEqual(new Error('no server')))
  expect(window.known).toBe(1)
  fails = false
  window.retry()
  await vi.waitFor(() => expect(window.whole).toBe(true))
  expect(window.known).toBe(2)
})

test('records are there while their page is read, and what was found stays when the reader stops it', async () => {
  let tell: (items: { digest: string }[]) => void = () => expect.unreachable('nothing is read')
  const reads: (string | undefined)[] = []
  const window = new RecordWindow((cursor, signal, { onPart, onJob }) => {
    reads.push(cursor)
    onJob('job')
    return new Promise((_, reject) => {
      tell = onPart
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  })
  window.first.onPart([{ digest: 'a' }])
  expect([window.known, reads]).toEqual([1, []])
  window.take({ items: [{ digest: 'a' }, { digest: 'b' }], cursor: 'b', truncated: true })
  expect([window.reading, window.job, reads]).toEqual([true, 'job', ['b']])
  tell([{ digest: 'c' }])
  expect([window.known, window.whole]).toEqual([3, false])
  window.stop()
  await Promise.resolve()
  expect([window.reading, window.stopped, window.known, window.error]).toEqual([false, true, 3, undefined])
  window.see(0, 100)
  expect(reads).toEqual(['b'])
  window.retry()
  expect([window.stopped, reads]).toEqual([false, ['b', 'b']])
})
