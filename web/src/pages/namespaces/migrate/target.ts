import type { MigrationRequest, NamespaceConfig } from '../../../api/types'
import type { NamespaceForm } from '../new/fields'
import { configOf, emptyForm } from '../new/form'

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const PAGE_KIBS = ['4', '8', '16', '32', '64'] as const
const DEFAULT_PAGE = 16 * 1024

type Storage = NamespaceConfig['storage']

/**
 * The form with the settings that the namespace has. Devices are not in it: the new store needs others. One on a cluster can
 * only leave it, and what a cluster kept has to survive a restart.
 */
export function formOf({ name, storage, segments = 256, container, durability }: NamespaceConfig): NamespaceForm {
  const text = (value: number | undefined, unit = 1): string =>
    value === undefined || value === 0 ? '' : String(value / unit)
  const pageKib = String((storage.pageBytes ?? DEFAULT_PAGE) / 1024)
  return {
    ...emptyForm,
    name,
    engine: storage.engine === 'cassandra' ? 'device' : storage.engine,
    capacityGib: storage.devices === undefined ? text(storage.capacityBytes, GIB) : '',
    flushIntervalMs: text(storage.flushIntervalMs),
    writeBlockKib: 'default',
    cachedIo: storage.cachedIo ?? false,
    pageKib: PAGE_KIBS.find((size) => size === pageKib) ?? '16',
    cacheMib: text(storage.cacheBytes, MIB),
    logMib: text(storage.checkpointLogBytes, MIB),
    checkpointSeconds: text(storage.checkpointIntervalSeconds),
    maxMemoryGib: text(storage.maxMemoryBytes, GIB),
    segments: String(segments),
    container: container ?? 'segmented',
    // On a cluster that is not the namespace's to choose.
    durability: durability === 'relaxed' && storage.engine !== 'cassandra' ? 'relaxed' : 'commit',
  }
}

/** Only what differs from the namespace; null if nothing does. */
export function targetOf(config: NamespaceConfig, form: NamespaceForm): MigrationRequest | null {
  const wanted = configOf(form)
  const before = configOf(formOf(config))
  const moves = form.engine !== config.storage.engine
  const storage = moves ? wanted.storage : changed(config.storage, before.storage, wanted.storage)
  const target: MigrationRequest = {
    ...(storage !== null && { storage }),
    ...(wanted.segments !== undefined && wanted.segments !== config.segments && { segments: wanted.segments }),
    ...(form.engine === 'memory' &&
      form.container !== (config.container ?? 'segmented') && { container: form.container }),
    ...(wanted.durability !== undefined &&
      wanted.durability !== config.durability && { durability: wanted.durability }),
  }
  return Object.keys(target).length === 0 ? null : target
}

/** The storage as it is, with what the form has changed: the API takes all settings of a storage together. */
function changed(has: Storage, before: Storage, wanted: Storage): Storage | null {
  const keys = new Set([...Object.keys(before), ...Object.keys(wanted)]) as Set<keyof Storage>
  const edited = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(wanted[key]))
  if (edited.length === 0) return null
  const { devices: _, ...kept } = has
  const storage: Partial<Record<keyof Storage, unknown>> = { ...kept }
  for (const key of edited) {
    if (wanted[key] === undefined) delete storage[key]
    else storage[key] = wanted[key]
  }
  return storage as Storage
}
