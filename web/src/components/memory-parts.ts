import type { MemoryBytes } from '../api/types'
import { t } from '../language/text'

/** Parts of memory in the order and colours in which they are drawn. */
export const memoryParts = [
  { key: 'records', label: t('records'), colour: 'var(--fill-accent)' },
  { key: 'primaryIndex', label: t('primary index'), colour: 'var(--fill-good)' },
  { key: 'documentIndexes', label: t('document indexes'), colour: 'var(--fill-warn)' },
  { key: 'setIndexes', label: t('set indexes'), colour: 'var(--fill-violet)' },
  { key: 'directory', label: t('directory'), colour: '#3aa6b9' },
  { key: 'buffers', label: t('buffers'), colour: 'var(--line-strong)' },
] as const satisfies readonly { key: keyof MemoryBytes; label: string; colour: string }[]
