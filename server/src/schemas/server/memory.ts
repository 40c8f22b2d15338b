import { type Static, Type } from 'typebox'
import { bytes } from '../quantities.js'

export const MemoryBytes = Type.Object(
  {
    primaryIndex: bytes('Primary index'),
    setIndexes: bytes('Set indexes'),
    documentIndexes: bytes('Document and range indexes'),
    records: bytes('Record bodies held in memory'),
    buffers: bytes('Write buffers and page caches'),
    directory: bytes('Names, settings and counters of sets and segments'),
    total: bytes('Sum of all parts'),
  },
  { title: 'MemoryBytes', description: 'Memory use by part.' },
)
export type MemoryBytes = Static<typeof MemoryBytes>
