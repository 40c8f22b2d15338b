import type { MemoryBytes } from '../api/types'

/** Parts of memory in the order and colours in which they are drawn. */
export const memoryParts = [
  { key: 'records', label: 'records', colour: 'var(--fill-accent)' },
  { key: 'primaryIndex', label: 'primary index', colour: 'var(--fill-good)' },
  { key: 'documentIndexes', label: 'document indexes', colour: 'var(--fill-warn)' },
  { key: 'setIndexes', label: 'set indexes', colour: 'var(--fill-violet)' },
  { key: 'directory', label: 'directory', colour: '#3aa6b9' },
  { key: 'buffers', label: 'buffers', colour: 'var(--line-strong)' },
] as const satisfies readonly { key: keyof MemoryBytes; label: string; colour: string }[]
