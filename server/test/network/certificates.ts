// An authority, and certificates that it has signed, for the tests of TLS.
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'

interface Signed {
  cert: string
  private: string
}

const named = (value: string) => [{ name: 'commonName', value }]
const how = { keyType: 'ec', algorithm: 'sha256' } as const

export const authority = (name: string): Promise<Signed> =>
  generate(named(name), {
    ...how,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })

/** For a server at 127.0.0.1, or a client. */
export const signed = (ca: Signed, name: string, days = 365): Promise<Signed> =>
  generate(named(name), {
    ...how,
    notAfterDate: new Date(Date.now() + days * 86_400_000),
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  })

/** Writes a certificate and its key; where they are. */
export async function filed(directory: string, { cert, private: key }: Signed): Promise<{ cert: string; key: string }> {
  const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  await writeFile(paths.cert, cert)
  await writeFile(paths.key, key)
  return paths
}

/** A list of revoked certificates of an authority, in PEM form. */
export async function revocations(home: string, ca: Signed, revoked: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(home, 'crl-'))
  const { cert, key } = await filed(directory, ca)
  const at = (name: string): string => join(directory, name)
  const lines = revoked.map((pem) => {
    const { serialNumber } = new X509Certificate(pem)
    return `R\t400101000000Z\t250101000000Z\t${serialNumber}\tunknown\t/CN=revoked\n`
  })
  await writeFile(at('index'), lines.join(''))
  await writeFile(at('config'), `[ca]\ndefault_ca = one\n[one]\ndatabase = ${at('index')}\ndefault_md = sha256\n`)
  const made = ['-gencrl', '-crldays', '1', '-keyfile', key, '-cert', cert, '-out', at('crl.pem')]
  execFileSync('openssl', ['ca', '-config', at('config'), ...made], { stdio: 'pipe' })
  return readFile(at('crl.pem'), 'utf8')
}
