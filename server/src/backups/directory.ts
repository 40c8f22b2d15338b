// The directory of the backups that the configuration names, looked at before the first backup needs it.
import { realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { type Config, ConfigError } from '../config.js'
import { makeDirectory } from '../files/writable-directory.js'
import { say } from '../sentences/sentence.js'

type Directories = Pick<Config, 'dataDirectory' | 'backupDirectory' | 'readOnly'>

/**
 * Creates it, if it is not there. A read-only server takes it as it is: it writes no backup.
 *
 * @throws ConfigError if it cannot be used, or lies among files of the engine
 */
export async function makeBackupDirectory({ dataDirectory, backupDirectory, readOnly }: Directories): Promise<void> {
  if (backupDirectory === undefined || readOnly) return
  refuseInside(resolve(dataDirectory), resolve(backupDirectory))
  await makeDirectory('TESSERA_BACKUP_DIR', backupDirectory)
  // A link may lead there.
  refuseInside(await realpath(dataDirectory), await realpath(backupDirectory))
}

/** The engine owns what is in the data directory. `backups` is where backups are by default. */
function refuseInside(data: string, backups: string): void {
  const own = join(data, 'backups')
  const isOwn = backups === own || backups.startsWith(own + sep)
  if (isOwn || !(backups + sep).startsWith(data === sep ? sep : data + sep)) return
  throw new ConfigError(
    say('TESSERA_BACKUP_DIR must not be in the data directory {data}, got {given}; name a directory beside it', {
      data,
      given: backups,
    }),
  )
}
