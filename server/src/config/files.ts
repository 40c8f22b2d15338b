// Files that settings name, read as a start reads them.
import { readOidc } from '../auth/oidc/settings.js'
import { type Config } from '../config.js'
import { readSettingFile } from '../files/setting-file.js'
import { readTls } from '../network/tls.js'

const CLUSTERS_BYTES_MAX = 1024 * 1024

/** @throws ConfigError naming the file at fault */
export async function checkFiles(config: Config): Promise<void> {
  readTls(config)
  await readOidc(config)
  if (config.clustersFile !== undefined) readSettingFile(config.clustersFile, CLUSTERS_BYTES_MAX)
}
