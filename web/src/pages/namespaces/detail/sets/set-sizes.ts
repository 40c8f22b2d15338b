import type { RecordSet } from '../../../../api/types'
import type { ChartSpec } from '../../../../charts/spec/spec'
import { setName } from '../../../../components/fields/set-name'
import { t } from '../../../../language/text'
import { unitWords } from '../../../../components/api-words'

/** Sets with a bar of their own. */
export const MOST_BARS = 12

/** All sets together. */
export interface AllSets {
  sets: number
  records: number
  bytes: number
}

/** The largest sets by bytes, largest first, and all others together. */
export function setSizes(largest: readonly RecordSet[], all: AllSets): ChartSpec {
  const shown = largest.slice(0, all.sets > MOST_BARS ? MOST_BARS - 1 : MOST_BARS)
  const others = all.sets - shown.length
  // The sets changed while all of them were added up, so a difference may be below 0.
  const rest = (of: (set: { records: number; bytes: number }) => number): number =>
    Math.max(0, of(all) - shown.reduce((sum, set) => sum + of(set), 0))
  const other = {
    name: t('{others, plural, one {# other} other {# others}}', { others }),
    records: rest((set) => set.records),
    bytes: rest((set) => set.bytes),
  }
  const bars = [
    ...shown.map(({ name, records, bytes }) => ({ name: setName(name), records, bytes })),
    ...(others <= 0 ? [] : [other]),
  ]
  return {
    x: {
      name: 'set',
      scale: 'names',
      format: 'plain',
      values: bars.map((_, at) => at),
      names: bars.map(({ name }) => name),
    },
    y: { scale: 'linear', format: 'bytes' },
    series: [
      { id: 'bytes', name: unitWords('bytes'), colour: 1, look: 'bars', values: bars.map(({ bytes }) => bytes) },
    ],
    facts: [
      { name: 'records', format: 'count', values: bars.map(({ records }) => records) },
      {
        name: t('bytes per record'),
        format: 'bytes',
        values: bars.map(({ records, bytes }) => (records === 0 ? null : bytes / records)),
      },
    ],
  }
}
