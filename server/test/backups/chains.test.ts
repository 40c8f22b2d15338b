// What a schedule builds on and deletes, and when it is due.
import { expect, test } from 'vitest'
import { baseOf, chainsOf, surplusOf } from '../../src/backups/chains.js'
import { nextAfter } from '../../src/backups/schedule-times.js'

const full = (id: string) => ({ id, state: 'complete' as const })
const on = (base: string, id: string) => ({ id, state: 'complete' as const, base })

test('chains are full backups with what builds on them, of what is complete and was made by the schedule', () => {
  const backups = [
    full('a'),
    on('a', 'b'),
    full('by-hand'),
    full('c'),
    { ...on('c', 'd'), state: 'unfinished' as const },
  ]
  expect(chainsOf(['a', 'b', 'gone', 'c', 'd'], backups)).toEqual([['a', 'b'], ['c']])
  expect(chainsOf([], backups)).toEqual([])
})

test('the next backup builds on the last one until the chain is long enough', () => {
  expect(baseOf([], 7)).toBeUndefined()
  expect(baseOf([['a', 'b']], 3)).toBe('b')
  expect(baseOf([['a', 'b']], 2)).toBeUndefined()
  expect(baseOf([['a']], 1)).toBeUndefined()
})

test('chains that are too many go as a whole, the newest link first', () => {
  const made = ['a', 'b', 'c', 'd', 'e', 'f']
  const chains = [['a', 'b'], ['c', 'd', 'e'], ['f']]
  expect(surplusOf(made, chains, 4)).toEqual([])
  expect(surplusOf(made, chains, 3)).toEqual([])
  expect(surplusOf(made, chains, 2)).toEqual(['b', 'a'])
  expect(surplusOf(made, chains, 1)).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect(surplusOf([], [], 1)).toEqual([])
})

test('a damaged backup counts for no chain that stays, and goes once enough newer ones are there', () => {
  const made = ['damaged', 'a', 'b', 'later']
  expect(surplusOf(made, [['a', 'b']], 2)).toEqual([])
  expect(surplusOf(made, [['a', 'b']], 1)).toEqual(['damaged'])
})

test.each([
  ['2026-11-29T01:00:00Z', 24, '02:00', '2026-11-29T02:00:00.000Z'],
  ['2026-11-29T02:00:00Z', 24, '02:00', '2026-11-30T02:00:00.000Z'],
  ['2026-11-29T02:00:00Z', 1, '00:30', '2026-11-29T02:30:00.000Z'],
  // Each Monday.
  ['2026-11-29T02:00:00Z', 168, '04:15', '2026-11-30T04:15:00.000Z'],
  ['2026-11-30T04:15:00Z', 168, '04:15', '2026-12-07T04:15:00.000Z'],
])('after %s, each %i hours at %s: %s', (now, everyHours, at, next) => {
  expect(new Date(nextAfter(Date.parse(now), everyHours, at)).toISOString()).toBe(next)
})
