// The settings of sign-in by a provider, with what is in their files. Nothing is asked of the provider.
import { type Config, ConfigError } from '../../config.js'
import { Damage, readRegular } from '../../files/read-file.js'
import { type GrantMap, readGrantMap } from './claims.js'
import { say } from '../../sentences/sentence.js'

const SECRET_BYTES_MAX = 4096
const GRANTS_BYTES_MAX = 1024 * 1024

export interface OidcSettings {
  issuer: URL
  clientId: string
  /** Undefined: a public client. */
  clientSecret: string | undefined
  scopes: string
  /** The claim that names a person. */
  userClaim: string
  grantMap: GrantMap
  /** How long a session lasts in any case, ms. */
  lifeMs: number
}

/**
 * Undefined: nobody signs in by a provider.
 *
 * @throws ConfigError naming the setting at fault
 */
export async function readOidc(config: Config): Promise<OidcSettings | undefined> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcGrantsFile: grantsFile, oidcSecretFile: secretFile } = config
  if (issuer === undefined || clientId === undefined || grantsFile === undefined) {
    if ([issuer, clientId, grantsFile, secretFile].every((setting) => setting === undefined)) return undefined
    throw new ConfigError(say('TESSERA_OIDC_ISSUER, TESSERA_OIDC_CLIENT_ID and TESSERA_OIDC_GRANTS need each other'))
  }
  const clientSecret = secretFile === undefined ? undefined : await readSecret(secretFile)
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret,
    scopes: config.oidcScopes,
    userClaim: config.oidcUserClaim,
    grantMap: await readMap(grantsFile),
    lifeMs: Math.min(config.oidcLifeMs ?? config.sessionLifeMs, config.sessionLifeMs),
  }
}

async function readSecret(path: string): Promise<string> {
  const secret = (await read('TESSERA_OIDC_CLIENT_SECRET_FILE', path, SECRET_BYTES_MAX)).trim()
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw new ConfigError(say('TESSERA_OIDC_CLIENT_SECRET_FILE: {path} must have one line, the secret', { path }))
}

async function readMap(path: string): Promise<GrantMap> {
  const text = await read('TESSERA_OIDC_GRANTS', path, GRANTS_BYTES_MAX)
  try {
    return readGrantMap(text)
  } catch (error) {
    throw new ConfigError(say('TESSERA_OIDC_GRANTS: {path}: {why}', { path, why: (error as Error).message }))
  }
}

async function read(setting: string, path: string, bytesMax: number): Promise<string> {
  const text = await readRegular(path, bytesMax).catch((error: unknown) => {
    if (!(error instanceof Damage)) throw error
    throw new ConfigError(say('{setting}: {path}: {why}', { setting, path, why: error.message }))
  })
  if (text === undefined) throw new ConfigError(say('{setting}: there is no file {path}', { setting, path }))
  return text
}
