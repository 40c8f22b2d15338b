import { expect, test } from 'vitest'
import { recordsText, shortRecordsText } from '../src/components/namespaces/records-text'
import type { Namespace } from '../src/api/types'

const holding = (counts: 'exact' | 'estimated') =>
  ({ records: 1_234_567, capabilities: { counts } }) as Pick<Namespace, 'records' | 'capabilities'>

test('a number of records that is an estimate says so', () => {
  expect([recordsText(holding('exact')), recordsText(holding('estimated'))]).toEqual(['1,234,567', '≈ 1,234,567'])
  expect(shortRecordsText(holding('estimated'))).toMatch(/^≈ 1\.2/)
})
