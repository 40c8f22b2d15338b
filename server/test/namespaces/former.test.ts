// Whose something is that is kept under the name of a namespace.
import { expect, test } from 'vitest'
import { frameWithin } from '../../src/engines/limited/lists.js'
import { Reach } from '../../src/auth/reach.js'
import { grantsOf } from '../../src/auth/grants.js'
import { type Ids, isFormer, marked } from '../../src/auth/former.js'
import { frameAt, series } from '../alerts/source.js'

const ids: Ids = {
  tenureOf: (name) => (name === 'n' ? { id: 'now', sinceMs: 100_000 } : { id: '', sinceMs: 0 }),
  firstNamespaceId: (name) => (name === 'n' ? 'first' : ''),
}

test.each([
  ['the server', {}, false],
  ['the one that has the name', { namespace: 'n', namespaceId: 'now' }, false],
  ['one that had the name before', { namespace: 'n', namespaceId: 'before' }, true],
  ['none, before there was one', { namespace: 'n', namespaceId: '' }, true],
  ['the first, because nobody said whose', { namespace: 'n' }, true],
  ['one that is gone', { namespace: 'm', namespaceId: 'before' }, true],
  ['none, of which there still is none', { namespace: 'm', namespaceId: '' }, false],
  ['nobody, because nobody said whose', { namespace: 'm' }, false],
])('what is of %s', (_, kept, former) => {
  expect(isFormer(ids, kept)).toBe(former)
  expect(marked(ids, kept)).toEqual({ ...kept, ...(former && { former }) })
})

test('frames are left out that began before the namespace had its name', () => {
  const reach = new Reach(grantsOf([{ role: 'reader', namespace: 'n' }]), 'reader')
  const seriesAt = (endMs: number) => frameWithin(reach, frameAt(endMs, [series('n', 1, 1000)]), ids).latency.length
  expect([seriesAt(100_999), seriesAt(101_000)]).toEqual([0, 1])
})

test('events of the server, of other namespaces and of a former one are left out', () => {
  const reach = new Reach(grantsOf([{ role: 'reader', namespace: 'n' }]), 'reader')
  const mark = (text: string, atMs: number, namespace?: string) => ({
    time: new Date(atMs).toISOString(),
    kind: 'config',
    text,
    ...(namespace !== undefined && { namespace }),
  })
  const marks = [mark('server', 200_000), mark('m', 200_000, 'm'), mark('former', 99_999, 'n'), mark('n', 100_000, 'n')]
  const seen = frameWithin(reach, { ...frameAt(200_000, []), marks }, ids).marks
  expect(seen.map(({ text }) => text)).toEqual(['n'])
})

test('what is of a former namespace is seen by nobody who has a reach', () => {
  const reach = new Reach(grantsOf([{ role: 'operator', namespace: 'n' }]), 'reader')
  expect([reach.sees({ namespace: 'n' }), reach.sees({ namespace: 'n', former: true })]).toEqual([true, false])
  const job = { kind: 'import', namespace: 'n', set: 's' }
  expect([reach.job(job), reach.job({ ...job, former: true })]).toEqual([true, false])
})
