// What the engine refuses in a change of settings, for a dry run: the engine itself has none. In its order and words.
import type { ErrorCode } from '../error-table.js'
import { GatewayError } from '../errors.js'
import type { Namespace, NamespaceConfig } from '../schemas/namespaces/namespaces.js'
import { say, type Sentence } from '../sentences/sentence.js'

const KIB = 1024
const TTL_SECONDS_MAX = 10 * 365 * 24 * 3600
const RECORD_BYTES_LEAST = 128
const RECORD_BYTES_MOST = 8 * KIB * KIB - 4096
const STOP_WRITES_DEFAULT = 90

function refuse(code: ErrorCode, field: string, message: Sentence): never {
  throw new GatewayError(code, message, { field })
}

/**
 * `wanted`: the configuration of the namespace after the change.
 *
 * @throws GatewayError `migration_active`, `ttl_invalid`, `config_invalid`, `capability_unsupported`, as the engine
 */
export function checkChange({ name, migration, capabilities }: Namespace, wanted: NamespaceConfig): void {
  if (migration !== undefined)
    throw new GatewayError(
      'migration_active',
      say('"{name}" migrates: its settings stay as they are until that ends', { name }),
    )
  const { defaultTtlSeconds = 0, maxRecordBytes = KIB * KIB } = wanted
  const { stopWritesPercent = STOP_WRITES_DEFAULT, evictAtPercent = 0, ownership, storage } = wanted
  if (defaultTtlSeconds > TTL_SECONDS_MAX)
    refuse(
      'ttl_invalid',
      'defaultTtlSeconds',
      say('a time to live must be at most {most} seconds (ten years), got {given}', {
        most: TTL_SECONDS_MAX,
        given: defaultTtlSeconds,
      }),
    )
  if (maxRecordBytes < RECORD_BYTES_LEAST || maxRecordBytes > RECORD_BYTES_MOST)
    refuse(
      'config_invalid',
      'maxRecordBytes',
      say('maxRecordBytes must be {least} to {most}, got {given}', {
        least: RECORD_BYTES_LEAST,
        most: RECORD_BYTES_MOST,
        given: maxRecordBytes,
      }),
    )
  if (evictAtPercent >= stopWritesPercent)
    refuse(
      'config_invalid',
      'evictAtPercent',
      say('evictAtPercent must be below stopWritesPercent ({stop}), got {evict}; 0 switches eviction off', {
        stop: stopWritesPercent,
        evict: evictAtPercent,
      }),
    )
  checkOwnership(wanted)
  const lacks = (field: string): never =>
    refuse(
      'capability_unsupported',
      field,
      say('the namespace "{name}" has the engine {engine}, which lacks it', { name, engine: storage.engine }),
    )
  if (capabilities.missing.includes('segments') && ownership !== undefined) lacks('ownership')
  if (capabilities.missing.includes('limits')) {
    if (stopWritesPercent !== STOP_WRITES_DEFAULT) lacks('stopWritesPercent')
    if (evictAtPercent !== 0) lacks('evictAtPercent')
  }
  checkRoom(wanted, maxRecordBytes)
}

function checkOwnership({ ownership }: NamespaceConfig): void {
  if (ownership === undefined) return
  const { nodes, owners, self } = ownership
  if (owners > nodes)
    refuse(
      'config_invalid',
      'ownership.owners',
      say('owners must be 1 to {most} with {nodes} nodes, got {given}', { most: nodes, nodes, given: owners }),
    )
  if (self >= nodes)
    refuse(
      'config_invalid',
      'ownership.self',
      say('self must be 0 to {most} with {nodes} nodes, got {given}', { most: nodes - 1, nodes, given: self }),
    )
}

/** A disk has to have room for eight of the largest records. */
function checkRoom({ storage, segments = 256 }: NamespaceConfig, maxRecordBytes: number): void {
  const { engine, capacityBytes = 0, writeBlockBytes = 128 * KIB, devices = [] } = storage
  const paged = segments * 512 * KIB + 8 * maxRecordBytes
  const least = engine === 'paged' ? paged : 8 * Math.max(writeBlockBytes, maxRecordBytes)
  const disks = [
    ['capacityBytes', capacityBytes],
    ...devices.map((device, at) => [`devices.${at}.capacityBytes`, device.capacityBytes ?? 0] as const),
  ] as const
  const small = disks.find(([, bytes]) => bytes !== 0 && bytes < least)
  if ((engine !== 'device' && engine !== 'paged') || small === undefined) return
  refuse(
    'config_invalid',
    small[0],
    say('it must be at least {least} for records of {bytes} bytes, got {given}', {
      least,
      bytes: maxRecordBytes,
      given: small[1],
    }),
  )
}
