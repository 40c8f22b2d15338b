import type { NamespaceConfig, Ownership, Segment } from '../../../api/types'
import { bytes, count, rate } from '../../../format'
import type { Heat } from './heat'
import { t } from '../../../language/text'

/** What the colour of a cell shows. */
export type Measure = 'role' | 'node' | 'records' | 'bytes' | 'heat'
/** The role of this node for a segment. */
export type Role = 'primary' | 'backup' | 'other'

/** All segments of a namespace as the map shows them. */
export interface SegmentMap {
  segments: readonly Segment[]
  /** operations per second, by segment; unset before the second poll */
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

/** Labels of the measures, and for those with a scale its meaning and formatter. */
export const measures = {
  role: { label: t('Owner'), says: t('role of this node for the segment') },
  node: { label: t('Primary'), says: t('number of the node that is the primary owner') },
  records: { label: t('Records'), says: t('records stored here'), text: count },
  bytes: { label: t('Bytes'), says: t('live bytes stored here'), text: bytes },
  heat: { label: t('Heat'), says: t('reads and writes of single records, between the last two updates'), text: rate },
} as const

export type Amount = 'records' | 'bytes' | 'heat'
export const isAmount = (measure: Measure): measure is Amount => measure !== 'role' && measure !== 'node'

/** The measures that have data. */
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

/** Positions of the cells on the colour scale, from 0 to the maximum; undefined for cells without a value. */
export function levelsOf(values: readonly number[]): (number | undefined)[] {
  const most = Math.max(0, ...values)
  return values.map((value) => (value <= 0 ? undefined : Math.round((value / most) * (LEVELS - 1))))
}

/** Position of a node's colour; the nodes are spread over the whole scale. */
export function nodeLevel(node: number, nodes: number): number {
  return nodes <= 1 ? 0 : Math.round((node / (nodes - 1)) * (LEVELS - 1))
}

const roleWords: Record<Role, string> = {
  primary: t('primary here'),
  backup: t('backup here'),
  other: t('on other nodes'),
}

/** Facts of a segment. */
export type Fact = 'role' | 'owners' | 'records' | 'bytes' | 'allocated' | 'heat'

/** A segment's facts as texts, by column; a dash if unknown. */
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
    t('{records, plural, one {# record} other {# records}}', { records: segment.records }),
    size,
    ...(heat === '–' ? [] : [heat]),
  ]
  return t('segment {segment}: {value}', { segment: segment.segment, value: parts.join(', ') })
}

export interface Totals {
  segments: number
  /** segments by the role of this node */
  roles: Record<Role, number>
  records: number
  /** records of segments this node is the primary owner of */
  primaryRecords: number
  /** operations per second of all segments; unset before the second poll */
  heat?: number
  /** the largest segment, and its size as a multiple of the mean of non-empty segments */
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
  const held = t(
    '{segments, plural, one {# segment} other {# segments}} with {records, plural, one {# record} other {# records}}',
    { segments, records },
  )
  if (map.ownership === undefined) return held
  return t('{held}; {primary} primary here, {backup} backup here, {other} on other nodes', {
    held,
    primary: count(roles.primary),
    backup: count(roles.backup),
    other: count(roles.other),
  })
}
