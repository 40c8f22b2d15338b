import type { BlockMap } from '../../../api/types'
import { bytes, count, plural, share } from '../../../format'

/** What the bytes of a disk are, in the order in which a cell is filled from its bottom. */
export const parts = [
  { key: 'live', label: 'live', says: 'records that can be read', colour: 'accent' },
  { key: 'tombstones', label: 'tombstones', says: 'deletes that older copies still need', colour: 'violet' },
  {
    key: 'dead',
    label: 'dead',
    says: 'nobody wants it any more, or it was left at the end of a block',
    colour: 'warn',
  },
  {
    key: 'writing',
    label: 'writing',
    says: 'room in blocks that are not full or not stored yet',
    colour: 'good',
  },
  { key: 'freeing', label: 'freeing', says: 'given up, usable once that is stored', colour: 'strong' },
  { key: 'unreadable', label: 'unreadable', says: 'left alone until the next start', colour: 'bad' },
  { key: 'header', label: 'header', says: 'the first block of each disk', colour: 'mute' },
  { key: 'free', label: 'free', says: 'empty blocks', colour: 'line' },
] as const

export type Part = (typeof parts)[number]['key']

/** Bytes by part; they add up to the blocks. */
export type Composition = Record<Part, number>

/** What a cell holds; the first one has the disk's header. */
export function composition(map: BlockMap, blockBytes: number, cell: number): Composition {
  const at = (column: readonly number[]): number => column[cell] ?? 0
  const [live, tombstones, dead] = [at(map.liveBytes), at(map.tombstoneBytes), at(map.deadBytes)]
  const freeing = at(map.freeing) * blockBytes
  const unreadable = at(map.unreadable) * blockBytes
  const header = cell === 0 ? blockBytes : 0
  const held = (at(map.writing) + at(map.stored)) * blockBytes - header
  return {
    live,
    tombstones,
    dead,
    writing: Math.max(0, held - live - tombstones - dead),
    freeing,
    unreadable,
    header,
    free: at(map.free) * blockBytes,
  }
}

/** What whole disks hold. */
export function totals(maps: readonly BlockMap[], blockBytes: number): Composition {
  const all = maps.flatMap((map) => map.free.map((_, cell) => composition(map, blockBytes, cell)))
  const sum = (key: Part): number => all.reduce((total, one) => total + one[key], 0)
  return Object.fromEntries(parts.map(({ key }) => [key, sum(key)])) as Composition
}

export function wholeOf(held: Composition): number {
  return parts.reduce((all, { key }) => all + held[key], 0)
}

/** What a cell of these maps is. */
export function cellSize(maps: readonly BlockMap[]): string {
  const most = Math.max(0, ...maps.map(({ blocksPerCell }) => blocksPerCell))
  if (most === 0) return 'no disk has a map'
  return `a cell is ${most === 1 ? 'one block' : `${count(most)} neighbouring blocks`}, filled from below`
}

/** A cell in words: its blocks, and what they hold. */
export function cellWords(map: BlockMap, blockBytes: number, cell: number): string {
  const first = cell * map.blocksPerCell
  const last = Math.min(map.blocks, first + map.blocksPerCell) - 1
  const held = composition(map, blockBytes, cell)
  const whole = wholeOf(held)
  const words = parts.filter(({ key }) => held[key] > 0).map(({ key, label }) => `${label} ${share(held[key] / whole)}`)
  const blocks = first === last ? `block ${count(first)}` : `blocks ${count(first)} to ${count(last)}`
  return `${blocks}: ${words.join(', ')}`
}

/** A whole map in words. */
export function mapWords(map: BlockMap, blockBytes: number): string {
  const held = totals([map], blockBytes)
  const whole = Math.max(1, wholeOf(held))
  const words = parts.filter(({ key }) => held[key] > 0).map(({ key, label }) => `${share(held[key] / whole)} ${label}`)
  return `${plural(map.blocks, 'block')} of ${bytes(blockBytes)}: ${words.join(', ')}`
}
