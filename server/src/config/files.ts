// Files that settings name, read as a start reads them.
import { readOidc } from '../auth/oidc/settings.js'
import { type Config } from '../config.js'
import { readSettingFile } from '../files/setting-file.js'
import { readTls } from '../network/tls.js'

/** Of a file that describes clusters, or targets of backups. */
const BYTES_MAX = 1024 * 1024

/** @throws ConfigError naming the file at fault */
export async function checkFiles(config: Config): Promise<void> {
  readTls(config)
  await readOidc(config)
  if (config.clustersFile !== undefined) readSettingFile(config.clustersFile, BYTES_MAX)
  if (config.backupTargetsFile !== undefined) readSettingFile(config.backupTargetsFile, BYTES_MAX)
}
