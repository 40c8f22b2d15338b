import type { NamespaceConfig, Ownership } from '../../../api/types'
import { bytes, count, duration, plural } from '../../../format'

interface Setting {
  key: string
  label: string
  text: string
}

/** A configuration as rows to read. */
export function settingsOf(config: NamespaceConfig): Setting[] {
  const {
    storage,
    segments,
    container,
    ownership,
    durability,
    reads,
    defaultTtlSeconds,
    maxRecordBytes,
    stopWritesPercent,
    evictAtPercent,
    singleBin,
  } = config
  const rows: (Setting | undefined)[] = [
    { key: 'storage.engine', label: 'storage engine', text: storage.engine },
    storage.capacityBytes === undefined
      ? undefined
      : { key: 'storage.capacityBytes', label: 'capacity', text: bytes(storage.capacityBytes) },
    storage.maxMemoryBytes === undefined
      ? undefined
      : { key: 'storage.maxMemoryBytes', label: 'maximum memory', text: bytes(storage.maxMemoryBytes) },
    storage.flushIntervalMs === undefined
      ? undefined
      : { key: 'storage.flushIntervalMs', label: 'flush interval', text: `${count(storage.flushIntervalMs)} ms` },
    storage.writeBlockBytes === undefined
      ? undefined
      : { key: 'storage.writeBlockBytes', label: 'write block', text: bytes(storage.writeBlockBytes) },
    ...pagedSettings(storage),
    ...deviceSettings(storage),
    segments === undefined ? undefined : { key: 'segments', label: 'segments', text: count(segments) },
    container === undefined
      ? undefined
      : {
          key: 'container',
          label: 'container',
          text: container === 'flat' ? 'flat: one map for all segments' : 'segmented: one map per segment',
        },
    { key: 'ownership', label: 'ownership', text: ownershipWords(ownership) },
    { key: 'singleBin', label: 'bins per record', text: singleBin === true ? 'one, named “value”' : 'any number' },
    durability === undefined ? undefined : { key: 'durability', label: 'durability', text: durability },
    durability === 'commit'
      ? {
          key: 'reads',
          label: 'reads',
          text:
            reads === 'latest'
              ? 'latest: the newest version, acknowledged or not'
              : 'committed: only what survives a crash',
        }
      : undefined,
    defaultTtlSeconds === undefined
      ? undefined
      : {
          key: 'defaultTtlSeconds',
          label: 'default TTL',
          text: defaultTtlSeconds === 0 ? 'records never expire' : duration(defaultTtlSeconds),
        },
    maxRecordBytes === undefined
      ? undefined
      : { key: 'maxRecordBytes', label: 'largest record', text: bytes(maxRecordBytes) },
    stopWritesPercent === undefined
      ? undefined
      : { key: 'stopWritesPercent', label: 'stop writes at', text: `${stopWritesPercent}% full` },
    evictAtPercent === undefined
      ? undefined
      : {
          key: 'evictAtPercent',
          label: 'evict at',
          text: evictAtPercent === 0 ? 'never' : `${evictAtPercent}% full`,
        },
  ]
  return rows.filter((row) => row !== undefined)
}

function ownershipWords(ownership: Ownership | undefined): string {
  if (ownership === undefined) return 'none'
  const { nodes, owners, self } = ownership
  return `node ${self} of ${count(nodes)}, ${plural(owners, 'owner')}`
}

function pagedSettings({
  pageBytes,
  cacheBytes,
  checkpointLogBytes,
  checkpointIntervalSeconds,
}: NamespaceConfig['storage']): (Setting | undefined)[] {
  return [
    pageBytes === undefined ? undefined : { key: 'storage.pageBytes', label: 'page size', text: bytes(pageBytes) },
    cacheBytes === undefined ? undefined : { key: 'storage.cacheBytes', label: 'cache', text: bytes(cacheBytes) },
    checkpointLogBytes === undefined
      ? undefined
      : { key: 'storage.checkpointLogBytes', label: 'log size', text: bytes(checkpointLogBytes) },
    checkpointIntervalSeconds === undefined
      ? undefined
      : {
          key: 'storage.checkpointIntervalSeconds',
          label: 'checkpoint interval',
          text: duration(checkpointIntervalSeconds),
        },
  ]
}

function deviceSettings(storage: NamespaceConfig['storage']): (Setting | undefined)[] {
  const { postWriteCacheBytes, defragBelowPercent, defragBytesPerSecond, cachedIo } = storage
  return [
    postWriteCacheBytes === undefined
      ? undefined
      : { key: 'storage.postWriteCacheBytes', label: 'post-write cache', text: bytes(postWriteCacheBytes) },
    defragBelowPercent === undefined
      ? undefined
      : { key: 'storage.defragBelowPercent', label: 'defragment below', text: `${defragBelowPercent}% live data` },
    defragBytesPerSecond === undefined
      ? undefined
      : {
          key: 'storage.defragBytesPerSecond',
          label: 'defragmentation throttle',
          text: defragBytesPerSecond === 0 ? 'no throttle' : `${bytes(defragBytesPerSecond)}/s`,
        },
    cachedIo === undefined
      ? undefined
      : { key: 'storage.cachedIo', label: 'page cache', text: cachedIo ? 'used' : 'bypassed if possible' },
  ]
}
