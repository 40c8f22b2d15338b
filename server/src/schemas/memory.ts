import { type Static, Type } from 'typebox'
import { Bytes } from './quantities.js'

export const MemoryBytes = Type.Object(
  {
    primaryIndex: Bytes,
    setIndexes: Bytes,
    documentIndexes: Bytes,
    records: Bytes,
    buffers: Bytes,
    directory: Bytes,
    total: Bytes,
  },
  { title: 'MemoryBytes', description: 'memory by part' },
)
export type MemoryBytes = Static<typeof MemoryBytes>
