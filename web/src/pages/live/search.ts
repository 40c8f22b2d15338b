import type { SearchSchemaInput } from '@tanstack/react-router'
import type { RangeSearch } from '../../live/range'
import { textOf, timeOf } from '../../search'
import { OPERATIONS } from '../../live/filter'
import { withOf, type With } from './compare/other-span'

/** How the share within the targets is drawn. */
export type ShareScale = '90' | '0' | 'nines'

/** What the Live page keeps in its URL. */
export interface LiveSearch extends RangeSearch {
  ns?: string | undefined
  op?: string | undefined
  side: 'engine' | 'gateway'
  scale: 'share' | 'count'
  within: ShareScale
  /** a moment to select, Unix milliseconds */
  at?: number | undefined
  /** what the selection is compared with */
  with?: With | undefined
}

export function readLiveSearch(raw: Partial<LiveSearch> & SearchSchemaInput): LiveSearch {
  const within = String(raw.within ?? '90')
  return {
    ns: textOf(raw.ns),
    op: OPERATIONS.find((op) => op === raw.op),
    side: raw.side === 'gateway' ? 'gateway' : 'engine',
    scale: raw.scale === 'count' ? 'count' : 'share',
    within: within === '0' || within === 'nines' ? within : '90',
    at: timeOf(raw.at),
    with: withOf(raw.with),
  }
}
