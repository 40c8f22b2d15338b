import type { BlockMap } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { t } from '../../../language/text'

/** Kinds of bytes on a disk, in the order in which a cell is filled from the bottom. */
export const parts = [
  { key: 'live', label: t('live'), says: t('records that can be read'), colour: 'accent' },
  { key: 'tombstones', label: t('tombstones'), says: t('deletes that still hide older copies'), colour: 'violet' },
  {
    key: 'dead',
    label: t('dead'),
    says: t('replaced or deleted records, and unused room at the end of a block'),
    colour: 'warn',
  },
  {
    key: 'writing',
    label: t('writing'),
    says: t('blocks that are not full or not stored yet'),
    colour: 'good',
  },
  { key: 'freeing', label: t('freeing'), says: t('freed, and reusable once that is stored'), colour: 'strong' },
  { key: 'unreadable', label: t('unreadable'), says: t('damaged, and not used until the next start'), colour: 'bad' },
  { key: 'header', label: t('header'), says: t('the first block of each disk'), colour: 'mute' },
  { key: 'free', label: t('free'), says: t('empty blocks'), colour: 'track' },
] as const

export type Part = (typeof parts)[number]['key']

/** Bytes by part; they add up to the blocks. */
export type Composition = Record<Part, number>

/** The contents of a cell; the first one has the disk's header. */
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

/** The contents of whole disks. */
export function totals(maps: readonly BlockMap[], blockBytes: number): Composition {
  const all = maps.flatMap((map) => map.free.map((_, cell) => composition(map, blockBytes, cell)))
  const sum = (key: Part): number => all.reduce((total, one) => total + one[key], 0)
  return Object.fromEntries(parts.map(({ key }) => [key, sum(key)])) as Composition
}

export function wholeOf(held: Composition): number {
  return parts.reduce((all, { key }) => all + held[key], 0)
}

/** The size of a cell, in words. */
export function cellSize(maps: readonly BlockMap[]): string {
  const most = Math.max(0, ...maps.map(({ blocksPerCell }) => blocksPerCell))
  if (most === 0) return t('no map available')
  return t('a cell is {most}, filled from the bottom', {
    most:
      most === 1
        ? t('one block')
        : t('{most, plural, one {# neighbouring block} other {# neighbouring blocks}}', { most }),
  })
}

/** A cell in words: its blocks and their contents. */
export function cellWords(map: BlockMap, blockBytes: number, cell: number): string {
  const first = cell * map.blocksPerCell
  const last = Math.min(map.blocks, first + map.blocksPerCell) - 1
  const held = composition(map, blockBytes, cell)
  const whole = wholeOf(held)
  const words = parts.filter(({ key }) => held[key] > 0).map(({ key, label }) => `${label} ${share(held[key] / whole)}`)
  const blocks =
    first === last
      ? t('block {first}', { first: count(first) })
      : t('blocks {first} to {last}', { first: count(first), last: count(last) })
  return `${blocks}: ${words.join(', ')}`
}

/** A whole map in words. */
export function mapWords(map: BlockMap, blockBytes: number): string {
  const held = totals([map], blockBytes)
  const whole = Math.max(1, wholeOf(held))
  const words = parts.filter(({ key }) => held[key] > 0).map(({ key, label }) => `${share(held[key] / whole)} ${label}`)
  return t('{blocks, plural, one {# block} other {# blocks}} of {blockBytes}: {value}', {
    blocks: map.blocks,
    blockBytes: bytes(blockBytes),
    value: words.join(', '),
  })
}
