import type { NamespaceConfig } from '../../../api/types'
import { settingsOf } from '../detail/settings'
import { t } from '../../../language/text'

/** How a setting can be set: at any time, by a migration, or only when the namespace is created. */
export type When = 'live' | 'migration' | 'creation'

interface About {
  group: Group
  /** one plain sentence */
  meaning: string
  when: When
  /** in the shape of the API; unset: there is none */
  fallback?: unknown
}

/** Those that can change at any time come first. */
const groups = ['Records', 'Limits', 'Durability and reads', 'Layout', 'Storage', 'Cluster'] as const
type Group = (typeof groups)[number]

const KIB = 1024
const MIB = KIB * KIB

const stored = (meaning: string, fallback?: unknown): About => ({
  group: 'Storage',
  meaning,
  when: 'migration',
  ...(fallback !== undefined && { fallback }),
})
const clustered = (meaning: string): About => ({ group: 'Cluster', meaning, when: 'migration' })

const ABOUT: Readonly<Record<string, About>> = {
  'storage.engine': stored(t('Where records are: in memory, on disks, or on a cluster.')),
  'storage.capacityBytes': stored(t('The most bytes that the namespace uses on its disk; 0 means the whole disk.'), 0),
  'storage.maxMemoryBytes': stored(
    t('The most memory for records; 0 means a share with other namespaces in memory.'),
    0,
  ),
  'storage.flushIntervalMs': stored(t('How long a relaxed write may wait for the disk.'), 1000),
  'storage.writeBlockBytes': stored(t('Records are written to the disk in blocks of this size.'), 128 * KIB),
  'storage.devices': stored(t('The files and block devices that share the records.')),
  'storage.pageBytes': stored(t('Records are read and written in pages of this size.'), 16 * KIB),
  'storage.cacheBytes': stored(t('Memory that keeps pages, so that reads need no disk.'), 256 * MIB),
  'storage.checkpointLogBytes': stored(t('The size of the log that a crash is recovered from.'), 512 * MIB),
  'storage.checkpointIntervalSeconds': stored(
    t('The longest time between two checkpoints while there are writes.'),
    300,
  ),
  'storage.postWriteCacheBytes': stored(t('Memory for the newest write blocks, which are read soon.'), 8 * MIB),
  'storage.defragBelowPercent': stored(t('A block with less live data than this is rewritten to free its space.'), 50),
  'storage.defragBytesPerSecond': stored(t('How fast defragmentation reads while there is room.'), 64 * MIB),
  'storage.cachedIo': stored(t("Whether reads and writes go through the system's page cache."), false),
  'storage.cluster.name': clustered(t('The cluster that has the records.')),
  'storage.cluster.attach': clustered(t('Whether the cluster had the records before the namespace was made.')),
  'storage.cluster.dataCentre': clustered(t('The data centre whose nodes are asked first.')),
  'storage.cluster.replication': clustered(t('How many copies each record has.')),
  'storage.cluster.reads': clustered(t('How many copies a read asks.')),
  'storage.cluster.writes': clustered(t('How many copies a write waits for.')),
  'storage.cluster.serial': clustered(t('Whether conditional writes take turns in one data centre or in all.')),
  'storage.cluster.timeoutMs': clustered(t('How long a request to a node may take.')),
  'storage.cluster.connectTimeoutMs': clustered(t('How long a new connection to a node may take.')),
  'storage.cluster.inFlight': clustered(t('The most requests that wait for the cluster at once.')),
  'storage.cluster.speculation': clustered(t('Whether a slow read is sent to other nodes too.')),
  segments: {
    group: 'Layout',
    meaning: t('Records are spread over this many segments, which are scanned in parallel.'),
    when: 'migration',
    fallback: 256,
  },
  container: {
    group: 'Layout',
    meaning: t('Whether each segment holds its own records, or one map holds all of them.'),
    when: 'migration',
    fallback: 'segmented',
  },
  ownership: {
    group: 'Layout',
    meaning: t('Which segments this node owns, if several nodes share them.'),
    when: 'live',
  },
  singleBin: {
    group: 'Layout',
    meaning: t('Whether a record has exactly one bin, which is stored without its name.'),
    when: 'creation',
    fallback: false,
  },
  durability: {
    group: 'Durability and reads',
    meaning: t('Whether a write is on the disk before its answer, soon after it, or never.'),
    when: 'migration',
    fallback: 'commit',
  },
  reads: {
    group: 'Durability and reads',
    meaning: t('Whether a read shows a write that is not on the disk yet.'),
    when: 'live',
    fallback: 'committed',
  },
  defaultTtlSeconds: {
    group: 'Records',
    meaning: t('Records that set no time to live expire after this time; 0 means never.'),
    when: 'live',
    fallback: 0,
  },
  maxRecordBytes: {
    group: 'Records',
    meaning: t('A larger record is refused.'),
    when: 'live',
    fallback: MIB,
  },
  stopWritesPercent: {
    group: 'Limits',
    meaning: t('Writes that add data are refused while this share of the limit is in use.'),
    when: 'live',
    fallback: 90,
  },
  evictAtPercent: {
    group: 'Limits',
    meaning: t('Records that would expire are removed early above this share; 0 means never.'),
    when: 'live',
    fallback: 0,
  },
}

export interface Row {
  key: string
  label: string
  text: string
  meaning: string
  when: When
  /** words of the default; unset: there is none */
  fallback: string | undefined
}

const whenWords: Readonly<Record<When, string>> = {
  live: t('at any time'),
  migration: t('by a migration'),
  creation: t('at creation'),
}
export const wordsOfWhen = (when: When): string => whenWords[when]

/** What the settings of a namespace would be by default, with the same engine. */
export function defaultsOf(config: NamespaceConfig): NamespaceConfig {
  const inMemory = config.storage.engine === 'memory' ? { durability: 'none' as const } : {}
  const own = (prefix: string, of: object): object =>
    Object.fromEntries(
      Object.entries(of).map(([key, value]) => [key, ABOUT[prefix + key]?.fallback ?? (value as unknown)]),
    )
  const { ownership: _, ...rest } = config
  return { ...(own('', rest) as NamespaceConfig), ...inMemory, storage: own('storage.', config.storage) as never }
}

/** The words of each setting, by its key. */
export const textsOf = (config: NamespaceConfig): ReadonlyMap<string, string> =>
  new Map(settingsOf(config).map(({ key, text }) => [key, text]))

const whenOf = (key: string, mutable: readonly string[]): When =>
  mutable.includes(key) ? 'live' : ABOUT[key]?.when === 'migration' ? 'migration' : 'creation'

const groupWords: Readonly<Record<Group, string>> = {
  Records: t('Records'),
  Limits: t('Limits'),
  'Durability and reads': t('Durability and reads'),
  Layout: t('Layout'),
  Storage: t('Storage'),
  Cluster: t('Cluster'),
}

export const wordsOfGroup = (group: Group): string => groupWords[group]

/** All settings of a namespace in groups, in the order in which they are read. `mutable`: those that can change now. */
export function groupsOf(config: NamespaceConfig, mutable: readonly string[]): { group: Group; rows: Row[] }[] {
  const fallbacks = textsOf(defaultsOf(config))
  const rows = settingsOf(config).map(({ key, label, text }) => {
    const about = ABOUT[key]
    const hasDefault = about?.fallback !== undefined || key === 'ownership'
    return {
      key,
      label,
      text,
      group: about?.group ?? 'Storage',
      meaning: about?.meaning ?? '',
      when: whenOf(key, mutable),
      fallback: hasDefault ? (fallbacks.get(key) ?? t('none')) : undefined,
    }
  })
  return groups
    .map((group) => ({ group, rows: rows.filter((row) => row.group === group) }))
    .filter((one) => one.rows.length > 0)
}

/** The label of a setting, for lists of changes. */
export const labelOf = (key: string, config: NamespaceConfig): string =>
  settingsOf(config).find((row) => row.key === key)?.label ?? key
