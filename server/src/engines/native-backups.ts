// Shapes of backups: what the core says of them, and what it is asked for.
import type { BackupInfo, BackupPlace, RestoreRequest as NativeRestore } from '@tessera/native'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.js'
import { GatewayError } from '../errors.js'
import type { Backup, RestoreRequest } from '../schemas/namespaces/backups.js'
import { say } from '../sentences/sentence.js'

export type BackupSettings = Pick<Config, 'dataDirectory'> &
  Partial<Pick<Config, 'backupDirectory' | 'backupTargetsFile'>>

export interface Places {
  /** Where backups are: in a target of the operator's file, or in the directory. */
  of(target: string | undefined): BackupPlace
  /**
   * Makes the directory in the data directory. One that the configuration names was made at the start, and is not made
   * again: it may be on a disk that is not mounted now.
   */
  make(): Promise<void>
}

export function placesOf({ dataDirectory, backupDirectory, backupTargetsFile }: BackupSettings): Places {
  const own = join(dataDirectory, 'backups')
  const scratch = join(dataDirectory, 'backup-parts')
  return {
    of: (target) => ({
      directory: backupDirectory ?? own,
      scratch,
      ...(target !== undefined && { target }),
      ...(backupTargetsFile !== undefined && { targetsFile: backupTargetsFile }),
    }),
    // An error shows when the backup is written there.
    make: async () => {
      if (backupDirectory === undefined) await mkdir(own, { recursive: true, mode: 0o700 }).catch(() => undefined)
    },
  }
}

const time = (ms: number): string => new Date(ms).toISOString()

/** A backup whose times are none was not written by a server. */
export function backupOf(backup: BackupInfo): Backup {
  const { createdAtMs, endedAtMs, fromMs, toMs, config, ...rest } = backup
  const times = [createdAtMs, endedAtMs, fromMs, toMs]
  if (times.some((ms) => ms !== undefined && Number.isNaN(new Date(ms).getTime()))) return { ...rest, state: 'damaged' }
  return {
    ...rest,
    ...(config !== undefined && { config: config as NonNullable<Backup['config']> }),
    ...(createdAtMs !== undefined && { createdAt: time(createdAtMs) }),
    ...(endedAtMs !== undefined && { endedAt: time(endedAtMs) }),
    ...(fromMs !== undefined && { pointFrom: time(fromMs) }),
    ...(toMs !== undefined && { pointTo: time(toMs) }),
  }
}

/** Ids in order of their times, to the millisecond: the first three hex digits behind the second hold it. */
export function newBackupId(nowMs = Date.now()): string {
  const second = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const millisecond = (nowMs % 1000).toString(16).padStart(3, '0')
  const chance = randomBytes(3).toString('hex').slice(1)
  return `${second}Z-${millisecond}${chance}`
}

/** @throws GatewayError if settings are given that mean nothing without `storage` */
export function restoreOf(request: RestoreRequest): NativeRestore {
  const { storage, segments, container, durability, ...rest } = request
  if (storage !== undefined) {
    const config = {
      name: rest.namespace,
      storage,
      ...(segments !== undefined && { segments }),
      ...(container !== undefined && { container }),
      ...(durability !== undefined && { durability }),
    }
    return { ...rest, config: config as NonNullable<NativeRestore['config']> }
  }
  const alone = Object.entries({ segments, container, durability }).find(([, value]) => value !== undefined)
  if (alone !== undefined) {
    throw new GatewayError(
      'config_invalid',
      say('{alone} needs storage; without it the namespace is stored as before', { alone: alone[0] }),
      {
        field: alone[0],
      },
    )
  }
  return rest
}
