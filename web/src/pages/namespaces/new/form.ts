import { isName, nameRule } from '../../../components/fields/name'
import type { NamespaceConfig } from '../../../api/types'
import { ownershipOf, ownershipProblems } from '../../../components/fields/ownership'
import { clusterProblems, clusterSettings, emptyCluster } from './cluster'
import { devicesOf, devicesProblem } from './devices'
import type { NamespaceForm, Problems } from './fields'
import { pagedProblems, pagedSettings } from './paged'
import { t } from '../../../language/text'

export const emptyForm: NamespaceForm = {
  ...emptyCluster,
  name: '',
  engine: 'memory',
  capacityGib: '',
  flushIntervalMs: '',
  devices: '',
  writeBlockKib: 'default',
  postWriteCacheMib: '',
  defragBelowPercent: '',
  defragMibPerSecond: '',
  cachedIo: false,
  pageKib: '16',
  cacheMib: '',
  logMib: '',
  checkpointSeconds: '',
  segments: '256',
  container: 'segmented',
  owned: false,
  nodes: '4',
  owners: '2',
  self: '0',
  durability: 'commit',
  reads: 'committed',
  ttlSeconds: '',
  maxRecordKib: '',
  maxMemoryGib: '',
  singleBin: false,
  stopWritesPercent: '',
  evictAtPercent: '',
}

const KIB = 1024
const MIB = 1024 ** 2
const GIB = 1024 ** 3
/** The engine's default. */
const STOP_WRITES_PERCENT = 90

/** Whether this machine keeps the records. */
export const isLocal = ({ engine }: Pick<NamespaceForm, 'engine'>): boolean => engine !== 'cassandra'
export const hasDisks = ({ engine }: NamespaceForm): boolean => engine === 'device' || engine === 'paged'

export function problemsOf(form: NamespaceForm): Problems {
  const problems: Problems = {}
  if (!isName(form.name)) problems.name = nameRule
  if (hasDisks(form) && form.capacityGib !== '' && !(Number(form.capacityGib) > 0))
    problems.capacityGib = t('A number of GiB above 0')
  const flush = Number(form.flushIntervalMs)
  if (hasDisks(form) && form.flushIntervalMs !== '' && !(Number.isInteger(flush) && flush >= 1 && flush <= 60_000))
    problems.flushIntervalMs = '1 to 60,000 ms'
  if (form.engine === 'device') Object.assign(problems, deviceProblems(form))
  if (form.engine === 'paged') Object.assign(problems, pagedProblems(form))
  if (form.owned && isLocal(form)) Object.assign(problems, ownershipProblems(form))
  if (form.ttlSeconds !== '' && !/^\d{1,10}$/.test(form.ttlSeconds))
    problems.ttlSeconds = t('A whole number of seconds')
  if (form.maxRecordKib !== '' && !(Number(form.maxRecordKib) >= 1)) problems.maxRecordKib = t('At least 1 KiB')
  if (form.engine === 'memory' && form.maxMemoryGib !== '' && !(Number(form.maxMemoryGib) > 0))
    problems.maxMemoryGib = t('A number of GiB above 0')
  // A cluster has no limits of its size.
  if (!isLocal(form)) return { ...problems, ...clusterProblems(form) }
  const stop = form.stopWritesPercent === '' ? STOP_WRITES_PERCENT : Number(form.stopWritesPercent)
  if (!(Number.isInteger(stop) && stop >= 1 && stop <= 100)) problems.stopWritesPercent = '1 to 100'
  const evict = Number(form.evictAtPercent)
  if (!(Number.isInteger(evict) && evict >= 0 && evict < stop))
    problems.evictAtPercent = t('0 to {stop}; 0: never', { stop: stop - 1 })
  return problems
}

function deviceProblems(form: NamespaceForm): Problems {
  const devices = devicesProblem(form.devices)
  const whole = (text: string, most: number): boolean => text === '' || (/^\d+$/.test(text) && Number(text) <= most)
  return {
    ...(devices !== undefined && { devices }),
    ...(form.devices.trim() !== '' &&
      form.capacityGib !== '' && { capacityGib: t('Set the capacity of each device instead') }),
    ...(!whole(form.postWriteCacheMib, 1024) && { postWriteCacheMib: '0 to 1,024 MiB' }),
    ...(!whole(form.defragBelowPercent, 95) && { defragBelowPercent: '0 to 95' }),
    ...(!whole(form.defragMibPerSecond, 1_000_000) && { defragMibPerSecond: t('A whole number of MiB') }),
  }
}

function deviceSettings(form: NamespaceForm): Partial<NamespaceConfig['storage']> {
  const devices = devicesOf(form.devices)
  return {
    ...(form.capacityGib !== '' && { capacityBytes: Math.round(Number(form.capacityGib) * GIB) }),
    ...(form.flushIntervalMs !== '' && { flushIntervalMs: Number(form.flushIntervalMs) }),
    ...(devices.length > 0 && { devices }),
    ...(form.writeBlockKib !== 'default' && { writeBlockBytes: Number(form.writeBlockKib) * KIB }),
    ...(form.postWriteCacheMib !== '' && { postWriteCacheBytes: Number(form.postWriteCacheMib) * MIB }),
    ...(form.defragBelowPercent !== '' && { defragBelowPercent: Number(form.defragBelowPercent) }),
    ...(form.defragMibPerSecond !== '' && { defragBytesPerSecond: Number(form.defragMibPerSecond) * MIB }),
    ...(form.cachedIo && { cachedIo: true }),
  }
}

/** The form's fields by their API names. */
const fieldsOfApi: Record<string, keyof NamespaceForm> = {
  name: 'name',
  capacityBytes: 'capacityGib',
  flushIntervalMs: 'flushIntervalMs',
  devices: 'devices',
  postWriteCacheBytes: 'postWriteCacheMib',
  defragBelowPercent: 'defragBelowPercent',
  defragBytesPerSecond: 'defragMibPerSecond',
  cacheBytes: 'cacheMib',
  checkpointLogBytes: 'logMib',
  checkpointIntervalSeconds: 'checkpointSeconds',
  maxMemoryBytes: 'maxMemoryGib',
  container: 'container',
  nodes: 'nodes',
  owners: 'owners',
  self: 'self',
  maxRecordBytes: 'maxRecordKib',
  defaultTtlSeconds: 'ttlSeconds',
  stopWritesPercent: 'stopWritesPercent',
  evictAtPercent: 'evictAtPercent',
}

/** The same of the settings of a cluster. */
const fieldsOfCluster: Record<string, keyof NamespaceForm> = {
  name: 'cluster',
  replication: 'copies',
  dataCentre: 'dataCentre',
  reads: 'clusterReads',
  writes: 'clusterWrites',
  serial: 'serial',
  timeoutMs: 'timeoutMs',
  connectTimeoutMs: 'connectTimeoutMs',
  inFlight: 'inFlight',
  afterMs: 'speculationAfterMs',
  most: 'speculationMost',
}

/** The server's refusal at the field that it names, such as `storage.cacheBytes` or `devices.0.path`. */
export function refusalOf(field: string | undefined, message: string): Problems {
  const names = (field ?? '').split(/[./]/)
  const fields = names.includes('cluster') ? fieldsOfCluster : fieldsOfApi
  const at = names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined)).find(Boolean)
  // A problem of the whole ownership is shown at its first field.
  if (at === undefined && names[0] === 'ownership') return { nodes: message }
  return at === undefined ? {} : { [at]: message }
}

/** Switches the engine, and resets choices that were meant for the previous one. */
export const withEngine = (engine: NamespaceForm['engine']): Partial<NamespaceForm> => ({ engine, cachedIo: false })

/** Only the fields that were set; the engine has defaults for the rest. */
export function configOf(form: NamespaceForm): NamespaceConfig {
  const { engine } = form
  return {
    name: form.name,
    storage: {
      engine,
      ...(engine === 'cassandra' && clusterSettings(form)),
      ...(engine === 'device' && deviceSettings(form)),
      ...(engine === 'paged' && pagedSettings(form)),
      ...(engine === 'memory' &&
        form.maxMemoryGib !== '' && { maxMemoryBytes: Math.round(Number(form.maxMemoryGib) * GIB) }),
    },
    ...(isLocal(form) && { segments: Number(form.segments) }),
    ...(engine === 'memory' && form.container === 'flat' && { container: form.container }),
    ...(form.owned && isLocal(form) && { ownership: ownershipOf(form) }),
    ...(hasDisks(form) && { durability: form.durability }),
    ...(hasDisks(form) && form.durability === 'commit' && form.reads === 'latest' && { reads: form.reads }),
    ...(form.ttlSeconds !== '' && { defaultTtlSeconds: Number(form.ttlSeconds) }),
    ...(form.singleBin && { singleBin: true }),
    ...(isLocal(form) && form.stopWritesPercent !== '' && { stopWritesPercent: Number(form.stopWritesPercent) }),
    ...(isLocal(form) && form.evictAtPercent !== '' && { evictAtPercent: Number(form.evictAtPercent) }),
    ...(form.maxRecordKib !== '' && { maxRecordBytes: Math.round(Number(form.maxRecordKib) * KIB) }),
  }
}
