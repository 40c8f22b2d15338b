// The names of the buckets that the operator has described for backups. All else of the file stays with the core.
import { GatewayError } from '../errors.js'
import { readSettingFile } from '../files/setting-file.js'
import { say, type Sentence } from '../sentences/sentence.js'

const BYTES_MAX = 1 << 20

/**
 * Sorted. The file is read anew each time, as it is when a target is used.
 *
 * @throws GatewayError `config_invalid`; no text of the file is in the message, because it may be a secret
 */
export function targetNames(file: string | undefined): string[] {
  if (file === undefined) return []
  const invalid = (why: Sentence) =>
    new GatewayError('config_invalid', say('the file of TESSERA_BACKUP_TARGETS {why}', { why }))
  let targets: unknown
  try {
    targets = JSON.parse(readSettingFile(file, BYTES_MAX).toString('utf8'))
  } catch (error) {
    throw invalid(error instanceof SyntaxError ? say('is not JSON') : say('cannot be read'))
  }
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets))
    throw invalid(say('is not one JSON object'))
  return Object.keys(targets).sort()
}
