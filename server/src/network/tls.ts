// The certificate that the server shows, read again when its files change, so that a renewal needs no restart.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions, Server as SecureServer } from 'node:tls'
import type { App } from '../app-types.js'
import { type Config, ConfigError } from '../config.js'
import { readSettingFile } from '../files/setting-file.js'
import { endWarning } from './certificate.js'
import { closeOldConnections } from './old-connections.js'

export type TlsFiles = Pick<Config, 'tlsCertificate' | 'tlsKey' | 'tlsClientCa' | 'tlsClientCrl'>

export interface Tls {
  /** For `createServer` and `setSecureContext` of `node:https`. */
  context: SecureContextOptions
  /** The first end of a certificate in the server's own file, Unix milliseconds. */
  endsAtMs: number
}

const LOOK_MS = 10_000
/** Longer files are not certificates. */
const BYTES_MAX = 1024 * 1024

/** Undefined: connections are not encrypted. */
export function readTls({ tlsCertificate, tlsKey, tlsClientCa, tlsClientCrl }: TlsFiles): Tls | undefined {
  if (tlsCertificate === undefined || tlsKey === undefined) return undefined
  const [cert, key] = [readPem(tlsCertificate), readPem(tlsKey)]
  const own = certificateIn(cert, tlsCertificate)
  if (!own.checkPrivateKey(keyIn(key, tlsKey)))
    throw new ConfigError(`the key in ${tlsKey} is not that of the certificate in ${tlsCertificate}`)
  const ca = tlsClientCa === undefined ? undefined : readPem(tlsClientCa)
  if (ca !== undefined && tlsClientCa !== undefined) certificateIn(ca, tlsClientCa)
  const crl = tlsClientCrl === undefined ? undefined : revokedIn(readPem(tlsClientCrl), tlsClientCrl)
  return {
    context: { cert, key, ...(ca !== undefined && { ca }), ...(crl !== undefined && { crl }), minVersion: 'TLSv1.2' },
    endsAtMs: firstEnd(cert),
  }
}

/**
 * Renews the certificate of a server that listens, when its files have changed or `reloadTls` is called. With workers, the
 * main thread shows none to clients, and is the one that tells when it ends.
 */
export function keepTls(app: App, tells = true): void {
  const { config } = app
  if (config.tlsCertificate === undefined) return
  const server: unknown = app.server
  const shows = server instanceof SecureServer ? server : undefined
  let shown = identityOf(config)
  let crl = readTls(config)?.context.crl?.toString()
  const certificate = { endsAtMs: readTls(config)?.endsAtMs ?? 0 }
  const forgetClients = shows === undefined ? () => undefined : closeOldConnections(app)
  const renew = (): void => {
    shown = identityOf(config)
    try {
      const tls = readTls(config)
      if (tls === undefined) return
      shows?.setSecureContext(tls.context)
      certificate.endsAtMs = tls.endsAtMs
      const revoked = tls.context.crl?.toString()
      if (revoked !== crl) forgetClients()
      crl = revoked
      app.log.info({ endsAt: new Date(tls.endsAtMs).toISOString() }, 'new connections get the certificate as it is now')
    } catch (error) {
      app.log.warn({ err: error }, 'the certificate cannot be renewed; the one of before stays')
    }
  }
  const warn = tells ? endWarning(app, certificate) : () => undefined
  let look: NodeJS.Timeout | undefined
  app.addHook('onListen', (done) => {
    warn()
    look = setInterval(() => {
      if (identityOf(config) !== shown) renew()
      warn()
    }, LOOK_MS).unref()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(look)
    done()
  })
  app.decorate('reloadTls', renew)
  app.decorate('certificate', certificate)
}

/** Changes when one of the files does. A link is followed: programs that renew certificates change where it leads. */
function identityOf({ tlsCertificate, tlsKey, tlsClientCa, tlsClientCrl }: TlsFiles): string {
  const parts = [tlsCertificate, tlsKey, tlsClientCa, tlsClientCrl].map((path) => {
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

function revokedIn(crl: Buffer, path: string): Buffer {
  try {
    createSecureContext({ crl })
    return crl
  } catch {
    throw new ConfigError(`${path} has no list of revoked certificates in PEM form`)
  }
}

/** A certificate on the way to the authority may end before that of the server. */
function firstEnd(pem: Buffer): number {
  const blocks = pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return Math.min(...blocks.map((block) => Date.parse(new X509Certificate(block).validTo)))
}
