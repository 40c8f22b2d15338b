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
  // A cluster has no segments and no limits, and decides how durable a write is.
  const local = storage.cluster === undefined
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
    storage.devices === undefined || storage.devices.length === 0
      ? undefined
      : { key: 'storage.devices', label: 'devices', text: storage.devices.map(({ path }) => path).join(', ') },
    ...pagedSettings(storage),
    ...deviceSettings(storage),
    ...clusterSettings(storage),
    segments === undefined || !local ? undefined : { key: 'segments', label: 'segments', text: count(segments) },
    container === undefined || !local
      ? undefined
      : {
          key: 'container',
          label: 'container',
          text: container === 'flat' ? 'flat: one map for all segments' : 'segmented: one map per segment',
        },
    local ? { key: 'ownership', label: 'ownership', text: ownershipWords(ownership) } : undefined,
    { key: 'singleBin', label: 'bins per record', text: singleBin === true ? 'one, named “value”' : 'any number' },
    durability === undefined || !local ? undefined : { key: 'durability', label: 'durability', text: durability },
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
    stopWritesPercent === undefined || !local
      ? undefined
      : { key: 'stopWritesPercent', label: 'stop writes at', text: `${stopWritesPercent}% full` },
    evictAtPercent === undefined || !local
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

function clusterSettings({ cluster }: NamespaceConfig['storage']): (Setting | undefined)[] {
  if (cluster === undefined) return []
  const { replication, speculation } = cluster
  const row = (key: string, label: string, text: string | undefined): Setting | undefined =>
    text === undefined ? undefined : { key: `storage.cluster.${key}`, label, text }
  const ms = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${count(value)} ms`)
  return [
    row('name', 'cluster', cluster.name),
    row('attach', 'records', cluster.attach === true ? 'attached: the cluster had them' : undefined),
    row('dataCentre', 'data centre', cluster.dataCentre),
    row('replication', 'copies when made', replication === undefined ? undefined : copiesWords(replication)),
    row('reads', 'a read asks', cluster.reads),
    row('writes', 'a write waits for', cluster.writes),
    row('serial', 'writes take turns', cluster.serial),
    row('timeoutMs', 'timeout of a request', ms(cluster.timeoutMs)),
    row('connectTimeoutMs', 'timeout of a connection', ms(cluster.connectTimeoutMs)),
    row('inFlight', 'requests in flight', cluster.inFlight === undefined ? undefined : count(cluster.inFlight)),
    row('speculation', 'a slow read', speculation && speculationWords(speculation)),
  ]
}

type Cluster = NonNullable<NamespaceConfig['storage']['cluster']>

function copiesWords(replication: NonNullable<Cluster['replication']>): string {
  if (typeof replication === 'number') return String(replication)
  return Object.entries(replication)
    .map(([name, copies]) => `${copies} in ${name}`)
    .join(', ')
}

const speculationWords = ({ afterMs, most }: NonNullable<Cluster['speculation']>): string =>
  most === 0 ? 'asks no other node' : `asks ${plural(most, 'other node')} at most, each after ${count(afterMs)} ms`
