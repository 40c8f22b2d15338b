import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, type TlsOptions } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { makeCertificates, ticketOf } from './certificates.mjs'
import { configOf, homeOf, NET, nodeAt, tokensOf } from './config.mjs'
import { countPeers } from './cql.mjs'
import { fetchJars } from './jars.mjs'
import { parseMajor } from './jdk.mjs'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

test.each([1, 3, 7])('the tokens of %i nodes divide the ring into equal parts', (nodes) => {
  const all = Array.from({ length: nodes }, (_, at) => tokensOf(at + 1, nodes)).flat()
  const sorted = all.toSorted((a, b) => (a < b ? -1 : 1))
  expect(sorted[0]).toBe(-(2n ** 63n))
  const ends = [...sorted.slice(1), 2n ** 63n]
  const lengths = new Set(ends.map((end, at) => Number((end - (sorted[at] ?? 0n)) / 1000n)))
  // A length that is no whole number is rounded.
  expect(lengths.size).toBeLessThanOrEqual(2)
  expect(new Set(all).size).toBe(16 * nodes)
})

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_412"', 8],
  ['openjdk version "21" 2023-09-19', 21],
  ['no java here', undefined],
])('%s is Java %s', (text, major) => expect(parseMajor(text)).toBe(major))

test('a cluster at other addresses has a folder of its own, and its nodes know each other there', () => {
  const shape = { nodes: 2, heapMb: 768, net: '127.0.1', tls: false, auth: false, relayed: false }
  const node = nodeAt(2, shape.net)
  expect(node).toMatchObject({ address: '127.0.1.2', directory: `${homeOf('127.0.1')}/node2` })
  expect(node.directory.startsWith(homeOf(NET) + '/')).toBe(false)
  const config = JSON.parse(configOf(node, shape)) as Record<string, unknown>
  expect(config).toMatchObject({ rpc_address: '127.0.1.2', listen_address: '127.0.1.2' })
  expect(JSON.stringify(config['seed_provider'])).toContain('127.0.1.1:7000,127.0.1.2:7000')
  expect(config).not.toHaveProperty('authenticator')
  expect(config).not.toHaveProperty('client_encryption_options')
  const guarded = JSON.parse(configOf(node, { ...shape, tls: true, auth: true })) as Record<string, unknown>
  expect(guarded).toMatchObject({
    authenticator: 'PasswordAuthenticator',
    client_encryption_options: { optional: false, require_client_auth: true, keystore: `${node.directory}/node.pem` },
  })
})

/** A node that answers each frame with what it is told to, byte by byte. `secure`: over TLS. */
async function nodeThatAnswers(answers: readonly Buffer[], secure?: TlsOptions): Promise<number> {
  const open = new Set<Socket>()
  const create = secure === undefined ? createServer : createSecureServer.bind(undefined, secure)
  const server: Server = create((socket: Socket) => {
    open.add(socket)
    const rest = [...answers]
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const answer = rest.shift()
      if (answer === undefined) socket.destroy()
      else for (const byte of answer) socket.write(Buffer.from([byte]))
    })
  })
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function answer(opcode: number, body: Buffer): Buffer {
  const header = Buffer.from([0x84, 0, 0, 0, opcode, 0, 0, 0, 0])
  header.writeUInt32BE(body.length, 5)
  return Buffer.concat([header, body])
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
const number = (value: number): Buffer => Buffer.from([0, 0, 0, value])
const ready = answer(2, Buffer.alloc(0))
const columns = [number(2), number(1), number(1), text('system'), text('peers'), text('peer'), Buffer.from([0, 16])]
const rows = (count: number): Buffer => answer(8, Buffer.concat([...columns, number(count)]))

test('a node says how many others it knows', async () => {
  expect(await countPeers('127.0.0.1', await nodeThatAnswers([ready, rows(2)]))).toBe(2)
})

test('a node that wants a certificate and a password is asked all the same', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tessera-certificates-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const node = { number: 1, address: '127.0.0.1', directory: join(home, 'node1') }
  makeCertificates([node], home)
  const both = readFileSync(join(node.directory, 'node.pem'))
  const ca = readFileSync(join(node.directory, 'ca.pem'))
  const secure = { cert: both, key: both, ca, requestCert: true, rejectUnauthorized: true }
  const answers = [answer(3, Buffer.alloc(2)), answer(0x10, Buffer.alloc(4)), rows(0)]
  const port = await nodeThatAnswers(answers, secure)
  expect(await countPeers('127.0.0.1', port, ticketOf(home, { tls: true, auth: true }))).toBe(0)
  await expect(countPeers('127.0.0.1', port)).rejects.toThrow(/closed the connection|ECONNRESET/)
  const certified = readFileSync(join(home, 'ca.pem'))
  makeCertificates([node], home)
  expect(readFileSync(join(home, 'ca.pem'))).toEqual(certified)
})

test.each([
  ['an error', [answer(0, Buffer.alloc(6))], /opcode 0/],
  ['nothing, and goes', [], /closed the connection/],
  ['another protocol', [Buffer.from('HTTP/1.1 400 Bad Request\r\n')], /another protocol/],
])('a node that answers %s is not ready', async (_, answers, message) => {
  await expect(countPeers('127.0.0.1', await nodeThatAnswers(answers))).rejects.toThrow(message)
})

test.each([
  ['that are other files', () => new Response('another file'), /is another file than the one that is known/],
  [
    'that are not there',
    () => new Response('', { status: 503 }),
    /cannot be fetched from Maven Central \(status 503\)/,
  ],
])('jars %s are refused', async (_, respond, message) => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-jars-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  vi.stubEnv('XDG_CACHE_HOME', directory)
  vi.stubGlobal('fetch', () => Promise.resolve(respond()))
  await expect(fetchJars(() => undefined)).rejects.toThrow(message)
})

test('words that it does not know, and another Java, end it in one clear line', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-java-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'java'), `#!/bin/sh\necho 'openjdk version "11.0.2"' >&2\n`, { mode: 0o755 })
  const main = fileURLToPath(new URL('main.mjs', import.meta.url))
  const run = (...words: string[]) => {
    const env = { PATH: `${directory}:/usr/bin:/bin` }
    const { status, stderr } = spawnSync(process.execPath, [main, ...words], { encoding: 'utf8', env })
    return `${status} ${stderr}`
  }
  expect(run('up')).toMatch(/^1 Cassandra needs Java 17; found 11\./)
  expect(run('up', '--nodes', '0')).toMatch(/^1 --nodes is a whole number from 1 to 9, not 0\./)
  expect(run('up', '--bad')).toMatch(/^1 Unknown option '--bad'/)
  expect(run('up', '--net', '10.0.0')).toMatch(/^1 --net is the begin of an address of this machine/)
  expect(run('down', '--net', '127.0.256')).toMatch(/^1 --net is the begin/)
  expect(run('restart')).toMatch(/^1 usage: /)
})
