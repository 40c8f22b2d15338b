import type { NamespaceConfig } from '../../../api/types'

type ClusterConfig = NonNullable<NamespaceConfig['storage']['cluster']>

/** Settings of a namespace on a cluster. */
export interface ClusterForm {
  /** Name of the cluster. */
  cluster: string
  attach: boolean
  /** a number, or data centres with numbers: `dc1 3, dc2 2` */
  copies: string
  dataCentre: string
  clusterReads: NonNullable<ClusterConfig['reads']>
  clusterWrites: NonNullable<ClusterConfig['writes']>
  serial: NonNullable<ClusterConfig['serial']>
  timeoutMs: string
  connectTimeoutMs: string
  inFlight: string
  speculationAfterMs: string
  speculationMost: string
}

/** The form's values as typed; numbers stay text until the configuration is made. */
export interface NamespaceForm extends ClusterForm {
  name: string
  engine: NamespaceConfig['storage']['engine']
  capacityGib: string
  flushIntervalMs: string
  /** One per line: a path, optionally followed by GiB. */
  devices: string
  writeBlockKib: string
  postWriteCacheMib: string
  defragBelowPercent: string
  defragMibPerSecond: string
  cachedIo: boolean
  pageKib: '4' | '8' | '16' | '32' | '64'
  cacheMib: string
  logMib: string
  checkpointSeconds: string
  segments: string
  container: 'segmented' | 'flat'
  /** whether it has an ownership; its numbers follow */
  owned: boolean
  nodes: string
  owners: string
  self: string
  durability: 'relaxed' | 'commit'
  reads: 'committed' | 'latest'
  ttlSeconds: string
  maxRecordKib: string
  maxMemoryGib: string
  singleBin: boolean
  stopWritesPercent: string
  evictAtPercent: string
}

/** What is wrong with a field. */
export type Problems = Partial<Record<keyof NamespaceForm, string>>
