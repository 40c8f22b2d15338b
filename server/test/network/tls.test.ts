// HTTPS: what it takes, whom it serves, and how a certificate is renewed.
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { Agent, get } from 'node:https'
import { type AddressInfo, connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import type { App } from '../../src/app-types.js'
import { Access } from '../../src/auth/access.js'
import { type Config, ConfigError, readConfig } from '../../src/config.js'
import { openNativeEngine } from '../../src/engines/native.js'
import { readTls } from '../../src/network/tls.js'
import { bearer, TOKEN } from '../gateway.js'
import type { LogSink } from '../../src/log/options.js'
import { authority, filed, revocations, signed } from './certificates.js'

let ca: Awaited<ReturnType<typeof authority>>
let home: string
let files: { cert: string; key: string }
let app: App | undefined

beforeAll(async () => {
  ca = await authority('Authority')
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tessera-'))
  files = await filed(home, await signed(ca, 'first'))
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await rm(home, { recursive: true })
})
const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 })
afterAll(() => agent.destroy())

/** A gateway that listens; its port. */
async function listen(more: Partial<Config> = {}, log?: LogSink): Promise<number> {
  const read = readConfig(['--data', join(home, 'data'), '--port', '0'], { TESSERA_LOG_LEVEL: 'silent' })
  const config = { ...read, tlsCertificate: files.cert, tlsKey: files.key, ...more }
  const engine = await openNativeEngine(config)
  app = await buildApp({
    config,
    engine,
    access: new Access(TOKEN),
    consoleFiles: join(home, 'no-console'),
    ...(log !== undefined && { log }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

interface Seen {
  status: number | undefined
  headers: IncomingMessage['headers']
  text: string
  subject: string
}

const ask = (port: number, path: string, more: object = {}): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca: ca.cert, agent, headers: bearer, ...more }
    const request = get(options, (answer) => {
      const subject = String((answer.socket as TLSSocket).getPeerCertificate().subject.CN)
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text, subject }))
    })
    request.once('error', reject)
  })

describe('HTTPS', () => {
  test('serves who trusts the authority, and links to itself with https', async () => {
    const port = await listen()
    expect(await ask(port, '/api/v1/status')).toMatchObject({ status: 200, subject: 'first' })
    await expect(ask(port, '/healthz', { ca: undefined })).rejects.toThrow('certificate')
    const login = await app?.inject({ method: 'POST', url: '/api/v1/auth/login', headers: bearer })
    expect(login?.statusCode).toBe(201)
    const far = await ask(port, '/docs', { servername: 'localhost', headers: { ...bearer, host: 'db.example.com' } })
    expect(far.headers['strict-transport-security']).toBe('max-age=31536000')
    expect((await ask(port, '/docs')).headers['strict-transport-security']).toBeUndefined()
  })

  test('does not answer plain HTTP', async () => {
    const port = await listen()
    const answered = new Promise((resolve, reject) => {
      getPlain({ host: '127.0.0.1', port, path: '/healthz' }, resolve).once('error', reject)
    })
    await expect(answered).rejects.toThrow(/hang up|ECONNRESET/)
  })

  test('takes no version before TLS 1.2', async () => {
    const port = await listen()
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(ask(port, '/healthz', old)).rejects.toThrow(/version|protocol/i)
  })

  test('closes without waiting for a client that never agrees on keys, or never asks', async () => {
    const port = await listen()
    const mute = connectPlain(port, '127.0.0.1')
    const idle = connect({ host: '127.0.0.1', port, ca: ca.cert })
    const opened = (socket: NodeJS.EventEmitter, event: string) => new Promise((resolve) => socket.once(event, resolve))
    const ended = [mute, idle].map((socket) => {
      socket.on('error', () => undefined)
      return opened(socket, 'close')
    })
    await Promise.all([opened(mute, 'connect'), opened(idle, 'secureConnect')])
    await app?.close()
    await Promise.all(ended)
    expect([mute.destroyed, idle.destroyed]).toEqual([true, true])
  })
})

describe('a client that does not read', () => {
  test('has its stream ended over TLS, too', async () => {
    const port = await listen({ readerPatienceMs: 300 })
    const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
      app?.inject({ method, url, headers: bearer, payload })
    await send('POST', '/api/v1/namespaces', { name: 'big', storage: { engine: 'memory' }, segments: 16 })
    const text = 'x'.repeat(512 * 1024)
    for (let key = 0; key < 64; key += 1) await send('PUT', `/api/v1/namespaces/big/sets/s/records/${key}`, { text })
    const socket = connect({ host: '127.0.0.1', port, ca: ca.cert })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(
      `GET /api/v1/namespaces/big/export HTTP/1.1\r\nhost: a\r\nauthorization: ${bearer.authorization}\r\n\r\n`,
    )
    await expect.poll(() => app?.streams.figures()).toMatchObject({ open: 0, stalled: 1 })
    socket.resume()
    await closed
    expect(socket.bytesRead).toBeLessThan(64 * 512 * 1024)
  })
})

describe('clients that have to show a certificate', () => {
  test('are served with one of the authority, and need credentials all the same', async () => {
    const path = join(home, 'ca.pem')
    await writeFile(path, ca.cert)
    const port = await listen({ tlsClientCa: path })
    const refused = /alert|ECONNRESET|hang up/i
    await expect(ask(port, '/healthz')).rejects.toThrow(refused)
    const stranger = await signed(await authority('Other'), 'stranger')
    await expect(ask(port, '/healthz', { cert: stranger.cert, key: stranger.private })).rejects.toThrow(refused)
    const { cert, private: key } = await signed(ca, 'client')
    expect((await ask(port, '/api/v1/status', { cert, key })).status).toBe(200)
    expect((await ask(port, '/api/v1/status', { cert, key, headers: {} })).status).toBe(401)
  })
})

describe('lists of revoked certificates', () => {
  test('keep out who is on them, also with a session from before, and end the connection of who was let in', async () => {
    const [caPath, crlPath] = [join(home, 'ca.pem'), join(home, 'crl.pem')]
    await writeFile(caPath, ca.cert)
    await writeFile(crlPath, await revocations(home, ca, []))
    const port = await listen({ tlsClientCa: caPath, tlsClientCrl: crlPath })
    const [bad, good] = [await signed(ca, 'bad'), await signed(ca, 'good')]
    const asBad = { cert: bad.cert, key: bad.private }
    const asGood = { cert: good.cert, key: good.private }
    let session: Buffer | undefined
    const open = connect({ port, host: '127.0.0.1', ca: ca.cert, ...asBad }).on('session', (kept) => (session = kept))
    open.on('error', () => undefined)
    let answers = ''
    open.on('data', (bytes: Buffer) => (answers += bytes.toString()))
    open.write('GET /api/v1/live HTTP/1.1\r\nhost: a\r\n\r\n')
    await expect.poll(() => answers).toContain('HTTP/1.1 401')
    await expect.poll(() => session).toBeDefined()
    expect((await ask(port, '/healthz', asBad)).status).toBe(200)
    await writeFile(crlPath, await revocations(home, ca, [bad.cert]))
    app?.reloadTls?.()
    await expect.poll(() => open.destroyed || open.readableEnded).toBe(true)
    const refused = /alert|ECONNRESET|hang up|revoked/i
    await expect(ask(port, '/healthz', asBad)).rejects.toThrow(refused)
    await expect(ask(port, '/healthz', { ...asBad, session })).rejects.toThrow(refused)
    expect((await ask(port, '/healthz', asGood)).status).toBe(200)
    await writeFile(crlPath, 'no list')
    app?.reloadTls?.()
    await expect(ask(port, '/healthz', asBad)).rejects.toThrow(refused)
    expect((await ask(port, '/healthz', asGood)).status).toBe(200)
  })
})

describe('the end of a certificate', () => {
  const notice = async (port: number, certificate: string) => {
    const { text } = await ask(port, '/api/v1/status')
    const { gateway, gatewayNotices } = JSON.parse(text) as {
      gateway: { certificateEndsAt: string }
      gatewayNotices: { code: string; message: string }[]
    }
    expect(gateway.certificateEndsAt).toBe(new Date(new X509Certificate(certificate).validTo).toISOString())
    return gatewayNotices.filter(({ code }) => code === 'certificate_ends').map(({ message }) => message)
  }

  test('is told in the status and in the metrics, until there is another certificate', async () => {
    const port = await listen()
    expect(await notice(port, await readFile(files.cert, 'utf8'))).toEqual([])
    const soon = await signed(ca, 'soon', 3)
    await filed(home, soon)
    app?.reloadTls?.()
    const [told] = await notice(port, soon.cert)
    expect(told).toMatch(/cert\.pem ends at .*; replace the file$/)
    const { text } = await ask(port, '/metrics')
    const endsAt = Date.parse(new X509Certificate(soon.cert).validTo) / 1000
    expect(text).toContain(`tessera_certificate_end_timestamp_seconds ${endsAt}`)
    await filed(home, await signed(ca, 'later'))
    app?.reloadTls?.()
    const later = await readFile(files.cert, 'utf8')
    expect(await notice(port, later)).toEqual([])
  })

  test('is told in the log at the start', async () => {
    const lines: string[] = []
    await filed(home, await signed(ca, 'soon', 3))
    await listen({ logLevel: 'warn' }, { write: (line: string) => void lines.push(line) })
    expect(lines.join('')).toContain('replace the file')
  })
})

describe('a renewal', () => {
  test('shows new connections the new certificate', async () => {
    const port = await listen()
    expect((await ask(port, '/healthz')).subject).toBe('first')
    await filed(home, await signed(ca, 'second'))
    app?.reloadTls?.()
    expect((await ask(port, '/healthz')).subject).toBe('second')
  })

  test('that is not whole leaves the certificate of before', async () => {
    const port = await listen()
    const other = await signed(ca, 'second')
    await writeFile(files.cert, other.cert)
    app?.reloadTls?.()
    expect((await ask(port, '/healthz')).subject).toBe('first')
    await writeFile(files.key, other.private)
    app?.reloadTls?.()
    expect((await ask(port, '/healthz')).subject).toBe('second')
    await rm(files.cert)
    app?.reloadTls?.()
    expect((await ask(port, '/healthz')).subject).toBe('second')
  })
})

describe('files that cannot be used', () => {
  const why = (cert: string, key: string, tlsClientCa?: string, tlsClientCrl?: string): string => {
    try {
      readTls({ tlsCertificate: cert, tlsKey: key, tlsClientCa, tlsClientCrl })
    } catch (error) {
      return error instanceof ConfigError ? error.message : String(error)
    }
    return 'they can'
  }

  test('are told by their path', async () => {
    expect(why(files.cert, files.key)).toBe('they can')
    expect(why(join(home, 'none'), files.key)).toContain(`${home}/none cannot be read: ENOENT`)
    expect(why(home, files.key)).toBe(`${home} cannot be read: it is no regular file`)
    expect(why('/dev/zero', files.key)).toBe('/dev/zero cannot be read: it is no regular file')
    expect(why(files.key, files.key)).toBe(`${files.key} has no certificate in PEM form`)
    expect(why(files.cert, files.cert)).toBe(`${files.cert} has no private key in PEM form without a password`)
    expect(why(files.cert, files.key, files.key)).toBe(`${files.key} has no certificate in PEM form`)
    expect(why(files.cert, files.key, files.cert, files.key)).toBe(
      `${files.key} has no list of revoked certificates in PEM form`,
    )
    const large = join(home, 'large')
    await writeFile(large, Buffer.alloc(2 * 1024 * 1024))
    expect(why(large, files.key)).toContain('2097152 bytes')
  })

  test('a key of another certificate', async () => {
    const key = join(home, 'other.pem')
    await writeFile(key, (await signed(ca, 'other')).private)
    expect(why(files.cert, key)).toBe(`the key in ${key} is not that of the certificate in ${files.cert}`)
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    await writeFile(key, privateKey)
    expect(why(files.cert, key)).toBe(`${key} has no private key in PEM form without a password`)
  })
})
