// The console's files: found at their names, cached by their hashes, and the page for every address of the console.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.js'
import type { App } from '../src/app-types.js'
import { serveConsole } from '../src/pages/console.js'
import { useGateway } from './gateway.js'

describe('console', () => {
  const root = mkdtempSync(join(tmpdir(), 'tessera-console-'))
  mkdirSync(join(root, 'assets'))
  writeFileSync(join(root, 'index.html'), '<title>Tessera</title>')
  writeFileSync(join(root, 'assets', 'main-abc123.js'), 'export {}')
  writeFileSync(join(root, 'assets', 'main-abc123.js.br'), brotliCompressSync('export {}'))
  writeFileSync(join(root, 'icon.svg'), '<svg/>')
  writeFileSync(join(root, 'theme.js'), 'theme()')
  for (const file of ['theme.js', 'index.html'])
    writeFileSync(join(root, `${file}.br`), brotliCompressSync(readFileSync(join(root, file))))
  afterAll(() => rmSync(root, { recursive: true }))
  const gateway = useGateway({}, () => root)
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  test.each(['/', '/namespaces', '/records/ns/set/key', '/login', '/api', '/index.html', '/assets-of-mine'])(
    '%s is the page',
    async (path) => {
      const answer = await gateway().send(`GET ${path}`, { anonymous: true, headers: html })
      expect(answer.status).toBe(200)
      expect(answer.text).toBe('<title>Tessera</title>')
      expect(answer.headers['cache-control']).toBe('public, max-age=0')
      expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'")
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    },
  )

  test.each([
    ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['if-match', '"x"'],
  ])('%s is for changes, and no fault here', async (name, value) => {
    for (const line of ['GET /', 'GET /theme.js', 'HEAD /login']) {
      const answer = await gateway().send(line, { anonymous: true, headers: { ...html, [name]: value } })
      expect([line, answer.status]).toEqual([line, 200])
    }
  })

  test('hashed assets are kept for ever, others are not', async () => {
    const { send } = gateway()
    const asset = await send('GET /assets/main-abc123.js', { anonymous: true })
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(asset.headers['content-type']).toContain('javascript')
    const icon = await send('GET /icon.svg', { anonymous: true, headers: { accept: 'image/svg+xml' } })
    expect(icon.headers['cache-control']).toBe('public, max-age=0')
  })

  test('a file goes out as the build has compressed it, to browsers that take that', async () => {
    const ask = (encoding: string) =>
      gateway().app.inject({ url: '/assets/main-abc123.js', headers: { 'accept-encoding': encoding } })
    const [brotli, gzip] = await Promise.all([ask('gzip, br'), ask('gzip')])
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': expect.stringContaining('javascript'),
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe('export {}')
    expect([gzip.headers['content-encoding'], gzip.body]).toEqual([undefined, 'export {}'])
    expect((await gateway().send('GET /assets/main-abc123.js.br')).status).toBe(404)
  })

  describe.each(['/', '/theme.js', '/assets/main-abc123.js', '/login'])('the tag of %s', (url) => {
    const ask = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      gateway().app.inject({ url, method, headers })

    test('is answered with 304, and differs by encoding', async () => {
      const plain = await ask()
      const brotli = await ask({ 'accept-encoding': 'br' })
      expect(brotli.headers['content-encoding']).toBe('br')
      expect([plain.headers.vary, brotli.headers.vary]).toEqual(['accept-encoding', 'accept-encoding'])
      expect(plain.headers.etag).not.toBe(brotli.headers.etag)
      for (const [from, encoding, status] of [
        [plain, 'identity', 304],
        [brotli, 'br', 304],
        [plain, 'br', 200],
        [brotli, 'identity', 200],
      ] as const) {
        const headers = { 'if-none-match': String(from.headers.etag), 'accept-encoding': encoding }
        const answer = await ask(headers)
        expect([answer.statusCode, answer.body === '']).toEqual([status, status === 304])
        expect(answer.headers).toMatchObject({
          'cache-control': plain.headers['cache-control'],
          vary: 'accept-encoding',
        })
        const head = await ask(headers, 'HEAD')
        expect([head.statusCode, head.body]).toEqual([status, ''])
      }
    })

    test('is not the time of the file, which is the same in all releases', async () => {
      expect((await ask()).headers).not.toHaveProperty('last-modified')
    })
  })

  test('another page of the same size and time has another tag', async () => {
    const tagOf = async (at: string) => {
      const app = createApp(gateway().app.config)
      await app.register(async (scope) => serveConsole(scope as App, at))
      const { headers } = await app.inject('/')
      await app.close()
      return headers.etag
    }
    const tags: unknown[] = []
    for (const title of ['one', 'two', 'two']) {
      const other = mkdtempSync(join(tmpdir(), 'tessera-console-'))
      writeFileSync(join(other, 'index.html'), title)
      utimesSync(join(other, 'index.html'), 1, 1)
      tags.push(await tagOf(other))
      rmSync(other, { recursive: true })
    }
    expect(tags[0]).not.toBe(tags[1])
    expect(tags[1]).toBe(tags[2])
  })

  test.each(['/api/v1/nothing', '/v1/nothing', '/v1', '/assets/gone-000.js'])('%s is not', async (path) => {
    const answer = await gateway().send(`GET ${path}`, { headers: { accept: '*/*' } })
    expect(answer.json()).toMatchObject({ code: 'route_not_found', status: 404 })
  })

  test.each(['/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2fadmin.token', '/%2e%2e/admin.token', '/assets/%00'])(
    '%s leads nowhere',
    async (path) => {
      const answer = await gateway().send(`GET ${path}`, { anonymous: true })
      expect([400, 404, '<title>Tessera</title>']).toContain(answer.status === 200 ? answer.text : answer.status)
    },
  )

  test('the type of a problem leads to its line', async () => {
    const { send } = gateway()
    const { type } = (await send('GET /api/v1/jobs/none')).json<{ type: string }>()
    const [path, code] = type.split('#')
    expect((await send(`GET ${path ?? ''}`)).text).toContain(`<tr id="${code ?? ''}">`)
  })

  test.each(['/', '/login', '/api', '/docs/errors'])('%s allows nothing inline', async (path) => {
    const answer = await gateway().send(`GET ${path}`)
    expect(answer.headers['content-security-policy']).not.toContain('unsafe')
    expect(answer.headers['content-security-policy']).toMatch(/style-src 'self'( 'sha256-[^']+')?;/)
  })

  test('the address of the documentation leads to the API in the console', async () => {
    const answer = await gateway().send('GET /docs', { anonymous: true })
    expect([answer.status, answer.headers['location']]).toEqual([302, '/api'])
  })
})
