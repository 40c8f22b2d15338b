// Certificates for 127.0.0.1 that sign themselves.
import { X509Certificate } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'

export interface Certificate {
  readonly pem: string
  readonly key: string
  readonly fingerprint: string
}

export async function makeCertificate(): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 3650 * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  })
  return { pem: made.cert, key: made.private, fingerprint: new X509Certificate(made.cert).fingerprint256 }
}

export const certificatePath = (home: string): string => join(home, 'cert.pem')
export const keyPath = (home: string): string => join(home, 'key.pem')

/** Replaces the files, each as a whole. */
export function place(home: string, { pem, key }: Certificate): void {
  for (const [path, text] of [
    [certificatePath(home), pem],
    [keyPath(home), key],
  ] as const) {
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}
