import type { NamespaceConfig, Ownership, Segment } from '../../../api/types'
import { bytes, count, plural, rate } from '../../../format'
import type { Heat } from './heat'

/** What a cell's colour tells. */
export type Measure = 'role' | 'node' | 'records' | 'bytes' | 'heat'
/** What the node is to a segment. */
export type Role = 'primary' | 'backup' | 'other'

/** All segments of a namespace as the map shows them. */
export interface SegmentMap {
  segments: readonly Segment[]
  /** operations a second, by segment; absent before the second poll */
  heat?: readonly number[]
  ownership?: Ownership
  /** one map holds the records of all segments */
  flat: boolean
}

export function mapOf({ newest, perSecond }: Heat, { ownership, container }: NamespaceConfig): SegmentMap {
  return {
    segments: newest.segments,
    ...(perSecond !== undefined && { heat: perSecond }),
    ...(ownership !== undefined && { ownership }),
    flat: container === 'flat',
  }
}

/** Names of the measures; of those with a scale what it says and how its values read. */
export const measures = {
  role: { label: 'Owner', says: 'what this node is to a segment' },
  node: { label: 'Primary', says: 'number of the node that is primary of a segment' },
  records: { label: 'Records', says: 'records held here', text: count },
  bytes: { label: 'Bytes', says: 'live bytes held here', text: bytes },
  heat: { label: 'Heat', says: 'reads and writes of single records, between the last two looks', text: rate },
} as const

export type Amount = 'records' | 'bytes' | 'heat'
export const isAmount = (measure: Measure): measure is Amount => measure !== 'role' && measure !== 'node'

/** Those that there is something to see of. */
export function measuresOf({ ownership }: SegmentMap): Measure[] {
  return [...(ownership === undefined ? [] : (['role', 'node'] as const)), 'records', 'bytes', 'heat']
}

export function valuesOf({ segments, heat }: SegmentMap, measure: Amount): readonly number[] {
  switch (measure) {
    case 'records':
      return segments.map(({ records }) => records)
    case 'bytes':
      return segments.map(({ liveBytes }) => liveBytes)
    case 'heat':
      return heat ?? segments.map(() => 0)
  }
}

export function roleOf({ ownership }: SegmentMap, { owners = [] }: Segment): Role {
  if (ownership === undefined || owners[0] === ownership.self) return 'primary'
  return owners.includes(ownership.self) ? 'backup' : 'other'
}

const LEVELS = 256

/** Places of the cells on the colour scale, from 0 (nothing) to the most; undefined where nothing is. */
export function levelsOf(values: readonly number[]): (number | undefined)[] {
  const most = Math.max(0, ...values)
  return values.map((value) => (value <= 0 ? undefined : Math.round((value / most) * (LEVELS - 1))))
}

/** Place of a node's colour on the scale: nodes are spread over all of it. */
export function nodeLevel(node: number, nodes: number): number {
  return nodes <= 1 ? 0 : Math.round((node / (nodes - 1)) * (LEVELS - 1))
}

const roleWords: Record<Role, string> = { primary: 'primary here', backup: 'backup here', other: 'of other nodes' }

/** What is known of a segment. */
export type Fact = 'role' | 'owners' | 'records' | 'bytes' | 'allocated' | 'heat'

/** A segment's facts as texts, by column; what is not known is a dash. */
export function factsOf(map: SegmentMap, at: number): Record<Fact, string> {
  const segment = map.segments[at]
  const operations = map.heat?.[at]
  if (segment === undefined) return { role: '–', owners: '–', records: '–', bytes: '–', allocated: '–', heat: '–' }
  const { owners, records, liveBytes, allocatedBytes } = segment
  return {
    role: map.ownership === undefined ? '–' : roleWords[roleOf(map, segment)],
    owners: owners?.join(', ') ?? '–',
    records: count(records),
    bytes: bytes(liveBytes),
    allocated: allocatedBytes === undefined ? '–' : bytes(allocatedBytes),
    heat: operations === undefined ? '–' : rate(operations),
  }
}

/** A segment in words. */
export function segmentWords(map: SegmentMap, at: number): string {
  const segment = map.segments[at]
  if (segment === undefined) return ''
  const { role, owners, bytes: size, heat } = factsOf(map, at)
  const parts = [
    ...(map.ownership === undefined ? [] : [`${role} (${owners.includes(',') ? 'nodes' : 'node'} ${owners})`]),
    plural(segment.records, 'record'),
    size,
    ...(heat === '–' ? [] : [heat]),
  ]
  return `segment ${segment.segment}: ${parts.join(', ')}`
}

export interface Totals {
  segments: number
  /** segments by what this node is to them */
  roles: Record<Role, number>
  records: number
  /** records of segments of which this node is primary */
  primaryRecords: number
  /** operations a second of all segments; absent before the second poll */
  heat?: number
  /** the segment with the most records, and how many times the mean of those that hold some that is */
  fullest?: { segment: number; records: number; overMean: number }
}

export function totalsOf(map: SegmentMap): Totals {
  const roles: Record<Role, number> = { primary: 0, backup: 0, other: 0 }
  let [records, primaryRecords, holding] = [0, 0, 0]
  let most: Segment | undefined
  for (const segment of map.segments) {
    const role = roleOf(map, segment)
    roles[role] += 1
    records += segment.records
    if (role === 'primary') primaryRecords += segment.records
    if (segment.records > 0) holding += 1
    if (segment.records > (most?.records ?? 0)) most = segment
  }
  return {
    segments: map.segments.length,
    roles,
    records,
    primaryRecords,
    ...(map.heat !== undefined && { heat: map.heat.reduce((sum, value) => sum + value, 0) }),
    ...(most !== undefined && {
      fullest: {
        segment: most.segment,
        records: most.records,
        overMean: (most.records * holding) / records,
      },
    }),
  }
}

/** The whole map in words. */
export function mapWords(map: SegmentMap): string {
  const { segments, roles, records } = totalsOf(map)
  const held = `${plural(segments, 'segment')} with ${plural(records, 'record')}`
  if (map.ownership === undefined) return held
  return `${held}; ${count(roles.primary)} primary here, ${count(roles.backup)} backup here, ${count(roles.other)} of other nodes`
}
