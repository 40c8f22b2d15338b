// Certificates for a local cluster, and for its clients: one authority signs both.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../../server/setup.mjs'

/** Who a new cluster with `--auth` lets in. */
const FIRST_USER = 'cassandra'
const DAYS = '3650'
const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout']

/**
 * Writes `ca.pem`, `client.pem` and `client.key` into a folder, and into that of each node what it needs.
 * @param {readonly import('./config.mjs').Node[]} nodes @param {string} home
 * @throws {SetupError} if there is no openssl
 */
export function makeCertificates(nodes, home) {
  if (existsSync(join(home, 'client.pem'))) return
  const at = (/** @type {string} */ name) => join(home, name)
  const subject = (/** @type {string} */ name) => ['-subj', `/CN=${name}`]
  openssl('req', '-x509', ...key, at('ca.key'), '-out', at('ca.pem'), '-days', DAYS, ...subject('tessera-local'))
  for (const { address, directory, number } of nodes) {
    const name = `node${number}`
    sign(home, name, subject(name), `IP:${address}`)
    mkdirSync(directory, { recursive: true })
    copyFileSync(at('ca.pem'), join(directory, 'ca.pem'))
    // Cassandra wants the key and the certificate in one file.
    const both = readFileSync(at(`${name}.key`), 'utf8') + readFileSync(at(`${name}.pem`), 'utf8')
    writeFileSync(join(directory, 'node.pem'), both)
  }
  sign(home, 'client', subject('client'), 'DNS:client')
}

/** @param {string} home @param {string} name of the files @param {readonly string[]} subject @param {string} named */
function sign(home, name, subject, named) {
  const at = (/** @type {string} */ ending) => join(home, `${name}.${ending}`)
  openssl('req', ...key, at('key'), '-out', at('csr'), ...subject)
  writeFileSync(at('ext'), `subjectAltName=${named}\nbasicConstraints=CA:FALSE\n`)
  const signer = ['-CA', join(home, 'ca.pem'), '-CAkey', join(home, 'ca.key'), '-CAcreateserial']
  openssl('x509', '-req', '-in', at('csr'), ...signer, '-out', at('pem'), '-days', DAYS, '-extfile', at('ext'))
}

/** @param {readonly string[]} words */
function openssl(...words) {
  const { status, stderr, error } = spawnSync('openssl', words, { encoding: 'utf8' })
  if (status === 0) return
  throw new SetupError(`openssl, which makes the certificates, failed: ${error?.message ?? stderr}`)
}

/**
 * What a client shows to nodes of the cluster in a folder.
 * @param {string} home @param {{ tls: boolean, auth: boolean }} shape @returns {import('./cql.mjs').Ticket}
 */
export function ticketOf(home, { tls, auth }) {
  const read = (/** @type {string} */ name) => readFileSync(join(home, name))
  return {
    ...(tls && { tls: { ca: read('ca.pem'), cert: read('client.pem'), key: read('client.key') } }),
    ...(auth && { user: FIRST_USER, password: FIRST_USER }),
  }
}
