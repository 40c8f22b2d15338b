import type { NamespaceForm } from './fields'
import { t } from '../../../language/text'

/** A kind of data, and the settings that suit it. */
export interface Use {
  name: string
  words: string
  settings: Partial<NamespaceForm>
}

export const uses: readonly Use[] = [
  {
    name: t('Cache'),
    words: t('Copies of data that is kept elsewhere. In memory, expires after an hour, makes room by itself.'),
    settings: { engine: 'memory', maxMemoryGib: '1', ttlSeconds: '3600', evictAtPercent: '80' },
  },
  {
    name: t('Keys and values'),
    words: t('Records by their key, more than fit into memory, each read in one step. On SSD, no write is lost.'),
    settings: { engine: 'device', durability: 'commit' },
  },
  {
    name: t('Documents'),
    words: t('Nested JSON that is queried by its content. On SSD in pages of 16 KiB, with a cache.'),
    settings: { engine: 'paged', pageKib: '16', durability: 'commit' },
  },
  {
    name: t('Events over time'),
    words: t('Many small writes that are read in bulk and expire after 30 days. A crash may lose the last second.'),
    settings: { engine: 'device', durability: 'relaxed', ttlSeconds: '2592000' },
  },
]

/** What each use sets, as it is in an untouched form: a use takes back what the one before it has set. */
export function withUse(use: Use, untouched: NamespaceForm): Partial<NamespaceForm> {
  const { engine, maxMemoryGib, ttlSeconds, evictAtPercent, durability, pageKib } = untouched
  return { engine, maxMemoryGib, ttlSeconds, evictAtPercent, durability, pageKib, cachedIo: false, ...use.settings }
}
