import type { Namespace } from '../../api/types'
import { count, shortCount } from '../../format'

type Counted = Pick<Namespace, 'records' | 'capabilities'>

const about = ({ capabilities }: Counted): string => (capabilities.counts === 'estimated' ? '≈ ' : '')

/** The number of records of a namespace; `≈` where it is an estimate. */
export const recordsText = (namespace: Counted): string => about(namespace) + count(namespace.records)

/** As `recordsText`, rounded. */
export const shortRecordsText = (namespace: Counted): string => about(namespace) + shortCount(namespace.records)
