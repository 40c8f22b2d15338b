// An authority, and certificates that it has signed, for the tests of TLS.
import { writeFile } from 'node:fs/promises'
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
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })

/** For a server at 127.0.0.1, or a client. */
export const signed = (ca: Signed, name: string): Promise<Signed> =>
  generate(named(name), {
    ...how,
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
