// The console's files: found at their names, cached by their hashes, and the page for every address of the console.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { useGateway } from './gateway.js'

describe('console', () => {
  const root = mkdtempSync(join(tmpdir(), 'tessera-console-'))
  mkdirSync(join(root, 'assets'))
  writeFileSync(join(root, 'index.html'), '<title>Tessera</title>')
  writeFileSync(join(root, 'assets', 'main-abc123.js'), 'export {}')
  writeFileSync(join(root, 'assets', 'main-abc123.js.br'), brotliCompressSync('export {}'))
  writeFileSync(join(root, 'icon.svg'), '<svg/>')
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

  test('the API page loads from here only', async () => {
    const answer = await gateway().send('GET /docs')
    expect(answer.status).toBe(200)
    expect(answer.text).not.toMatch(/(src|href)="https?:/)
  })
})
