// The certificate that the server shows, read again when its files change, so that a renewal needs no restart.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { type SecureContextOptions, Server as SecureServer } from 'node:tls'
import type { App } from '../app-types.js'
import { type Config, ConfigError } from '../config.js'
import { readSettingFile } from '../files/setting-file.js'

export type TlsFiles = Pick<Config, 'tlsCertificate' | 'tlsKey' | 'tlsClientCa'>

export interface Tls {
  /** For `createServer` and `setSecureContext` of `node:https`. */
  context: SecureContextOptions
  /** Of the server's own certificate, Unix milliseconds. */
  endsAtMs: number
}

const LOOK_MS = 10_000
/** Longer files are not certificates. */
const BYTES_MAX = 1024 * 1024

/** Undefined: connections are not encrypted. */
export function readTls({ tlsCertificate, tlsKey, tlsClientCa }: TlsFiles): Tls | undefined {
  if (tlsCertificate === undefined || tlsKey === undefined) return undefined
  const [cert, key] = [readPem(tlsCertificate), readPem(tlsKey)]
  const own = certificateIn(cert, tlsCertificate)
  if (!own.checkPrivateKey(keyIn(key, tlsKey)))
    throw new ConfigError(`the key in ${tlsKey} is not that of the certificate in ${tlsCertificate}`)
  const ca = tlsClientCa === undefined ? undefined : readPem(tlsClientCa)
  if (ca !== undefined && tlsClientCa !== undefined) certificateIn(ca, tlsClientCa)
  return {
    context: { cert, key, ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' },
    endsAtMs: Date.parse(own.validTo),
  }
}

/** Renews the certificate of a server that listens, when its files have changed or `reloadTls` is called. */
export function keepTls(app: App): void {
  const { config } = app
  const server: unknown = app.server
  if (!(server instanceof SecureServer)) return
  let shown = identityOf(config)
  const renew = (): void => {
    shown = identityOf(config)
    try {
      const tls = readTls(config)
      if (tls === undefined) return
      server.setSecureContext(tls.context)
      app.log.info({ endsAt: new Date(tls.endsAtMs).toISOString() }, 'new connections get the certificate as it is now')
    } catch (error) {
      app.log.warn({ err: error }, 'the certificate cannot be renewed; the one of before stays')
    }
  }
  let look: NodeJS.Timeout | undefined
  app.addHook('onListen', (done) => {
    look = setInterval(() => identityOf(config) !== shown && renew(), LOOK_MS).unref()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(look)
    done()
  })
  app.decorate('reloadTls', renew)
}

/** Changes when one of the files does. A link is followed: programs that renew certificates change where it leads. */
function identityOf({ tlsCertificate, tlsKey, tlsClientCa }: TlsFiles): string {
  const parts = [tlsCertificate, tlsKey, tlsClientCa].map((path) => {
    const found = path === undefined ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? '' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`
  })
  return parts.join(' ')
}

const readPem = (path: string): Buffer => readSettingFile(path, BYTES_MAX)

function certificateIn(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new ConfigError(`${path} has no certificate in PEM form`)
  }
}

function keyIn(pem: Buffer, path: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new ConfigError(`${path} has no private key in PEM form without a password`)
  }
}
