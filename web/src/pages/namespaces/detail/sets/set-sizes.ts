import type { RecordSet } from '../../../../api/types'
import type { ChartSpec } from '../../../../charts/spec/spec'
import { setName } from '../../../../components/fields/set-name'
import { plural } from '../../../../format'

/** Sets with a bar of their own. */
const MOST_BARS = 12

/** The largest sets by bytes, and all others together. */
export function setSizes(sets: readonly RecordSet[]): ChartSpec {
  const largest = sets.toSorted((a, b) => b.bytes - a.bytes)
  const shown = largest.slice(0, largest.length > MOST_BARS ? MOST_BARS - 1 : MOST_BARS)
  const rest = largest.slice(shown.length)
  const sum = (of: (set: RecordSet) => number): number => rest.reduce((all, set) => all + of(set), 0)
  const other = {
    name: plural(rest.length, 'other'),
    records: sum((set) => set.records),
    bytes: sum((set) => set.bytes),
  }
  const bars = [
    ...shown.map(({ name, records, bytes }) => ({ name: setName(name), records, bytes })),
    ...(rest.length === 0 ? [] : [other]),
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
    series: [{ id: 'bytes', name: 'bytes', colour: 1, look: 'bars', values: bars.map(({ bytes }) => bytes) }],
    facts: [
      { name: 'records', format: 'count', values: bars.map(({ records }) => records) },
      {
        name: 'bytes per record',
        format: 'bytes',
        values: bars.map(({ records, bytes }) => (records === 0 ? null : bytes / records)),
      },
    ],
  }
}
