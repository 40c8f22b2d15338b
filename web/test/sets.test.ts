import { describe, expect, test } from 'vitest'
import type { RecordSet } from '../src/api/types'
import { histogramsRequest, lifeSpec, sizeSpec } from '../src/pages/namespaces/detail/sets/histograms'
import { setSizes } from '../src/pages/namespaces/detail/sets/set-sizes'

const set = (name: string, records: number, bytes: number): RecordSet => ({
  name,
  records,
  bytes,
  index: { state: 'off', bytes: 0 },
  limits: {},
})

describe('sets by size', () => {
  test('have a bar each, the largest first', () => {
    const { x, series, facts } = setSizes([set('events', 20, 900), set('', 10, 100)], {
      sets: 2,
      records: 30,
      bytes: 1000,
    })
    expect(x.names).toEqual(['events', 'without a set'])
    expect(series[0]?.values).toEqual([900, 100])
    expect(facts?.map(({ values }) => values)).toEqual([
      [20, 10],
      [45, 10],
    ])
  })

  test('are added up beyond twelve bars', () => {
    // The server gives the largest alone, and says what all hold together.
    const largest = Array.from({ length: 12 }, (_, at) => set(`s${at}`, 1, 100 - at))
    const { x, series, facts } = setSizes(largest, { sets: 65_000, records: 70_000, bytes: 2045 })
    expect([x.names?.length, x.names?.[0], x.names?.at(-1)]).toEqual([12, 's0', '64,989 others'])
    expect([series[0]?.values.at(-1), facts?.[0]?.values.at(-1)]).toEqual([1000, 69_989])
    expect(setSizes(largest, { sets: 12, records: 12, bytes: 1134 }).x.names).toHaveLength(12)
    expect(setSizes(largest, { sets: 13, records: 0, bytes: 0 }).series[0]?.values.at(-1)).toBe(0)
  })
})

describe('the histograms of a set', () => {
  test('are counted from metadata, of many records by a share', () => {
    const few = histogramsRequest('events', 100)
    expect(few.set).toBe('events')
    expect('sample' in few).toBe(false)
    expect(few.aggregate).toMatchObject({ size: { meta: 'size' }, ttl: { meta: 'ttl' } })
    expect(histogramsRequest(undefined, 100_000_000)).toMatchObject({ sample: { share: 0.02 } })
    expect('set' in histogramsRequest(undefined, 0)).toBe(false)
  })

  test('have a bar for each range, and one for what never expires', () => {
    const life = lifeSpec({ buckets: [{ from: 60, count: 3 }], above: 1, missing: 6 })
    expect(Object.fromEntries((life.x.names ?? []).map((name, at) => [name, life.series[0]?.values[at]]))).toEqual({
      'under 1 min': 0,
      '1 min to 1 h': 3,
      '1 h to 1 day': 0,
      '1 to 7 days': 0,
      '7 to 30 days': 0,
      '30 days to 1 year': 0,
      'over 1 year': 1,
      'never expires': 6,
    })
    expect(life.facts?.[0]?.values.at(-1)).toBe(60)
    expect(sizeSpec({}).facts?.[0]?.values[0]).toBeNull()
  })
})
