import type { NamespaceConfig, Ownership } from '../../../api/types'
import { bytes, count, duration } from '../../../format'
import { t } from '../../../language/text'

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
    { key: 'storage.engine', label: t('storage engine'), text: storage.engine },
    storage.capacityBytes === undefined
      ? undefined
      : { key: 'storage.capacityBytes', label: t('capacity'), text: bytes(storage.capacityBytes) },
    storage.maxMemoryBytes === undefined
      ? undefined
      : { key: 'storage.maxMemoryBytes', label: t('maximum memory'), text: bytes(storage.maxMemoryBytes) },
    storage.flushIntervalMs === undefined
      ? undefined
      : {
          key: 'storage.flushIntervalMs',
          label: t('flush interval'),
          text: t('{flushIntervalMs} ms', { flushIntervalMs: count(storage.flushIntervalMs) }),
        },
    storage.writeBlockBytes === undefined
      ? undefined
      : { key: 'storage.writeBlockBytes', label: t('write block'), text: bytes(storage.writeBlockBytes) },
    storage.devices === undefined || storage.devices.length === 0
      ? undefined
      : { key: 'storage.devices', label: t('devices'), text: storage.devices.map(({ path }) => path).join(', ') },
    ...pagedSettings(storage),
    ...deviceSettings(storage),
    ...clusterSettings(storage),
    segments === undefined || !local ? undefined : { key: 'segments', label: t('segments'), text: count(segments) },
    container === undefined || !local
      ? undefined
      : {
          key: 'container',
          label: t('container'),
          text: container === 'flat' ? t('flat: one map for all segments') : t('segmented: one map per segment'),
        },
    local ? { key: 'ownership', label: t('ownership'), text: ownershipWords(ownership) } : undefined,
    {
      key: 'singleBin',
      label: t('bins per record'),
      text: singleBin === true ? t('one, named “value”') : t('any number'),
    },
    durability === undefined || !local ? undefined : { key: 'durability', label: t('durability'), text: durability },
    durability === 'commit'
      ? {
          key: 'reads',
          label: t('reads'),
          text:
            reads === 'latest'
              ? t('latest: the newest version, acknowledged or not')
              : t('committed: only what survives a crash'),
        }
      : undefined,
    defaultTtlSeconds === undefined
      ? undefined
      : {
          key: 'defaultTtlSeconds',
          label: t('default TTL'),
          text: defaultTtlSeconds === 0 ? t('records never expire') : duration(defaultTtlSeconds),
        },
    maxRecordBytes === undefined
      ? undefined
      : { key: 'maxRecordBytes', label: t('largest record'), text: bytes(maxRecordBytes) },
    stopWritesPercent === undefined || !local
      ? undefined
      : {
          key: 'stopWritesPercent',
          label: t('stop writes at'),
          text: t('{stopWritesPercent}% full', { stopWritesPercent }),
        },
    evictAtPercent === undefined || !local
      ? undefined
      : {
          key: 'evictAtPercent',
          label: t('evict at'),
          text: evictAtPercent === 0 ? t('never') : t('{evictAtPercent}% full', { evictAtPercent }),
        },
  ]
  return rows.filter((row) => row !== undefined)
}

function ownershipWords(ownership: Ownership | undefined): string {
  if (ownership === undefined) return t('none')
  const { nodes, owners, self } = ownership
  return t('node {self} of {nodes}, {owners, plural, one {# owner} other {# owners}}', {
    self,
    nodes: count(nodes),
    owners,
  })
}

function pagedSettings({
  pageBytes,
  cacheBytes,
  checkpointLogBytes,
  checkpointIntervalSeconds,
}: NamespaceConfig['storage']): (Setting | undefined)[] {
  return [
    pageBytes === undefined ? undefined : { key: 'storage.pageBytes', label: t('page size'), text: bytes(pageBytes) },
    cacheBytes === undefined ? undefined : { key: 'storage.cacheBytes', label: t('cache'), text: bytes(cacheBytes) },
    checkpointLogBytes === undefined
      ? undefined
      : { key: 'storage.checkpointLogBytes', label: t('log size'), text: bytes(checkpointLogBytes) },
    checkpointIntervalSeconds === undefined
      ? undefined
      : {
          key: 'storage.checkpointIntervalSeconds',
          label: t('checkpoint interval'),
          text: duration(checkpointIntervalSeconds),
        },
  ]
}

function deviceSettings(storage: NamespaceConfig['storage']): (Setting | undefined)[] {
  const { postWriteCacheBytes, defragBelowPercent, defragBytesPerSecond, cachedIo } = storage
  return [
    postWriteCacheBytes === undefined
      ? undefined
      : { key: 'storage.postWriteCacheBytes', label: t('post-write cache'), text: bytes(postWriteCacheBytes) },
    defragBelowPercent === undefined
      ? undefined
      : {
          key: 'storage.defragBelowPercent',
          label: t('defragment below'),
          text: t('{defragBelowPercent}% live data', { defragBelowPercent }),
        },
    defragBytesPerSecond === undefined
      ? undefined
      : {
          key: 'storage.defragBytesPerSecond',
          label: t('defragmentation throttle'),
          text: defragBytesPerSecond === 0 ? t('no throttle') : `${bytes(defragBytesPerSecond)}/s`,
        },
    cachedIo === undefined
      ? undefined
      : { key: 'storage.cachedIo', label: t('page cache'), text: cachedIo ? t('used') : t('bypassed if possible') },
  ]
}

function clusterSettings({ cluster }: NamespaceConfig['storage']): (Setting | undefined)[] {
  if (cluster === undefined) return []
  const { replication, speculation } = cluster
  const row = (key: string, label: string, text: string | undefined): Setting | undefined =>
    text === undefined ? undefined : { key: `storage.cluster.${key}`, label, text }
  const ms = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : t('{value} ms', { value: count(value) })
  return [
    row('name', t('cluster'), cluster.name),
    row('attach', t('records'), cluster.attach === true ? t('attached: the cluster had them') : undefined),
    row('dataCentre', t('data centre'), cluster.dataCentre),
    row('replication', t('copies when made'), replication === undefined ? undefined : copiesWords(replication)),
    row('reads', t('a read asks'), cluster.reads),
    row('writes', t('a write waits for'), cluster.writes),
    row('serial', t('writes take turns'), cluster.serial),
    row('timeoutMs', t('timeout of a request'), ms(cluster.timeoutMs)),
    row('connectTimeoutMs', t('timeout of a connection'), ms(cluster.connectTimeoutMs)),
    row('inFlight', t('requests in flight'), cluster.inFlight === undefined ? undefined : count(cluster.inFlight)),
    row('speculation', t('a slow read'), speculation && speculationWords(speculation)),
  ]
}

type Cluster = NonNullable<NamespaceConfig['storage']['cluster']>

function copiesWords(replication: NonNullable<Cluster['replication']>): string {
  if (typeof replication === 'number') return String(replication)
  return Object.entries(replication)
    .map(([name, copies]) => t('{copies} in {name}', { copies, name }))
    .join(', ')
}

const speculationWords = ({ afterMs, most }: NonNullable<Cluster['speculation']>): string =>
  most === 0
    ? t('asks no other node')
    : t('asks {most, plural, one {# other node} other {# other nodes}} at most, each after {afterMs} ms', {
        most,
        afterMs: count(afterMs),
      })
