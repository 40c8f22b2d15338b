import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clearCalls, recordedCalls } from '../src/api/calls'
import { toCurl } from '../src/api/curl'
import { recordedFetch } from '../src/api/http'

const origin = 'http://127.0.0.1:7373'

beforeEach(() => {
  clearCalls()
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 204 })))
})
afterEach(() => vi.unstubAllGlobals())

async function sent(path: string, init: RequestInit): Promise<string> {
  await recordedFetch(new Request(origin + path, init))
  const [call] = recordedCalls()
  if (call === undefined) throw new Error('the call was not recorded')
  return toCurl({ method: call.method, path: call.path, origin, ...call.sent })
}

describe('a recorded call', () => {
  test.each([
    ['PUT', { 'if-match': '"3"', 'content-type': 'application/json' }, [`'If-Match: "3"'`]],
    ['PUT', { 'if-none-match': '*', 'content-type': 'application/json' }, [`'If-None-Match: *'`]],
    ['DELETE', { 'x-confirm': 'shop' }, [`'X-Confirm: shop'`]],
    ['POST', { accept: 'application/x-ndjson' }, [`'Accept: application/x-ndjson'`, 'curl -sN']],
  ])('%s with %o is copied with it', async (method, headers: Record<string, string>, parts) => {
    const body = 'content-type' in headers ? { body: '{"a":1}' } : {}
    const line = await sent('/api/v1/x?a=1', { method, headers, ...body })
    for (const part of parts) expect(line).toContain(part)
  })

  test('keeps no credential', async () => {
    const headers = { Authorization: 'Bearer secret', Cookie: 'session=secret', 'Content-Type': 'application/json' }
    await sent('/api/v1/status', { method: 'POST', headers, body: '{}' })
    await sent('/api/v1/auth/login', { method: 'POST', headers, body: '{"token":"secret"}' })
    expect(recordedCalls().length).toBe(2)
    expect(JSON.stringify(recordedCalls())).not.toContain('secret')
  })

  test('is another one where its condition is', async () => {
    const put = (etag: string) => sent('/api/v1/x', { method: 'PUT', headers: { 'If-Match': etag } })
    await put('"1"')
    await put('"1"')
    await put('"2"')
    expect(recordedCalls().map(({ times }) => times)).toEqual([1, 2])
  })
})
