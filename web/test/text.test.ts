import { describe, expect, test } from 'vitest'
import { shellQuote, toCurl } from '../src/api/curl'
import { readLines } from '../src/api/lines'
import { problemFrom } from '../src/api/problem'
import { bytes, change, duration, latency, latencyEdge, share, shortCount } from '../src/format'
import { readCsv, wholeCsvPrefix } from '../src/pages/import/mapping/csv'
import { configOf, emptyForm, problemsOf } from '../src/pages/namespaces/new/form'
import { nines } from '../src/charts/spec/scale'

describe('numbers to read', () => {
  test('latency', () => {
    expect([0, 999, 3100, 182e3, 4.2e6, 31e6, 2.5e9].map(latency)).toEqual([
      '0 ns',
      '999 ns',
      '3.10 µs',
      '182 µs',
      '4.20 ms',
      '31.0 ms',
      '2.50 s',
    ])
    expect([100, 1e3, 1e5, 1e6, 1e9].map(latencyEdge)).toEqual(['100 ns', '1 µs', '100 µs', '1 ms', '1 s'])
  })

  test('a share never claims 100% while something is missing', () => {
    expect([1, 0.9997, 0.99, 0.5, 0, 0.9999999].map(share)).toEqual([
      '100%',
      '99.970%',
      '99.0%',
      '50.0%',
      '0.0%',
      '>99.999%',
    ])
  })

  test('counts, sizes, spans', () => {
    expect([0, 9999, 12_345, 312.4e6, 2e9].map(shortCount)).toEqual(['0', '9,999', '12.3 k', '312 M', '2.00 G'])
    expect([0, 1023, 1536, 5 * 2 ** 30].map(bytes)).toEqual(['0 B', '1023 B', '1.50 KiB', '5.00 GiB'])
    expect([0.004, 2.345, 72, 3700].map((seconds) => duration(seconds))).toEqual([
      '4 ms',
      '2.3 s',
      '1 min 12 s',
      '1 h 1 min',
    ])
    // No part is 60.
    expect([59.6, 119.6, 3599.6, 86_399.6].map((seconds) => duration(seconds))).toEqual([
      '1 min 0 s',
      '2 min 0 s',
      '1 h 0 min',
      '1 d 0 h',
    ])
    expect([45, 72, 600, 3600].map((seconds) => duration(seconds, { whole: true }))).toEqual([
      '45 s',
      '1 min 12 s',
      '10 min',
      '1 h 0 min',
    ])
    expect([0, 0.091, -0.25, 9.6, 20, 3115].map(change)).toEqual(['0%', '+9%', '−25%', '+960%', '21×', '3,116×'])
  })

  test('nines', () => {
    expect([0, 0.9, 0.99, 1].map((value) => Math.round(nines(value)))).toEqual([0, 1, 2, 6])
  })
})

describe('curl', () => {
  const origin = 'http://localhost:7373'

  test('quotes what the shell would read', () => {
    expect(shellQuote('plain-1.0/x')).toBe('plain-1.0/x')
    expect(shellQuote(`it's $HOME`)).toBe(`'it'\\''s $HOME'`)
  })

  test('says the whole call', () => {
    expect(toCurl({ method: 'GET', path: '/x', origin })).toContain('Bearer $TESSERA_TOKEN"')
    expect(toCurl({ method: 'GET', path: '/x', origin, tokenFile: '/var/lib/tessera/admin.token' })).toBe(
      `curl -s -H "Authorization: Bearer $(cat /var/lib/tessera/admin.token)" ${origin}/x`,
    )
    expect(toCurl({ method: 'GET', path: '/x', origin, tokenFile: "/srv/my 'data/admin.token" })).toContain(
      `"Authorization: Bearer $(cat '/srv/my '\\''data/admin.token')"`,
    )
    const put = toCurl({ method: 'PUT', path: '/x?a=1', origin, body: '{"a":1}', headers: { 'If-Match': '"3"' } })
    expect(put).toContain('-X PUT')
    expect(put).toContain(`-H 'If-Match: "3"'`)
    expect(put).toContain(`--data-binary '{"a":1}'`)
    expect(put.endsWith(`'${origin}/x?a=1'`)).toBe(true)
  })

  test('names the type of its body once', () => {
    const line = toCurl({ method: 'PUT', path: '/x', origin, body: '1', headers: { 'Content-Type': 'text/plain' } })
    expect(line.match(/Content-Type: [a-z/]+/g)).toEqual(['Content-Type: text/plain'])
  })

  test('shows lines as they come', () => {
    const headers = { Accept: 'application/x-ndjson' }
    expect(toCurl({ method: 'POST', path: '/x', origin, body: '{}', headers })).toMatch(/^curl -sN /)
  })

  test('sends a file by its name', () => {
    const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }
    expect(toCurl({ method: 'POST', path: '/x', origin, file: 'my rows.csv.gz', headers })).toBe(
      `curl -s -T 'my rows.csv.gz' -X POST -H "Authorization: Bearer $TESSERA_TOKEN"` +
        ` -H 'Content-Type: text/csv' -H 'Content-Encoding: gzip' ${origin}/x`,
    )
  })
})

describe('streams of lines', () => {
  async function read(chunks: string[], keep: number) {
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
        controller.close()
      },
    })
    const lines: string[] = []
    let count = 0
    await readLines(body, keep, { onLines: (fresh) => void lines.push(...fresh), onCount: (all) => (count = all) })
    return { lines, count }
  }

  test('are put together across chunks', async () => {
    expect(await read(['{"a"', ':1}\n{"b":2}', '\n{"c":3}'], 10)).toEqual({
      lines: ['{"a":1}', '{"b":2}', '{"c":3}'],
      count: 3,
    })
  })

  test('keep some and count all', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `${i}\n`)
    expect(await read(many, 3)).toEqual({ lines: ['0', '1', '2'], count: 1000 })
  })
})

describe('import', () => {
  test('reads CSV as PostgreSQL writes it', () => {
    expect(readCsv('a,b\n1,"x ""y"",\nz"\r\n3,4\n5,', 9)).toEqual([
      ['a', 'b'],
      ['1', 'x "y",\nz'],
      ['3', '4'],
    ])
  })

  test('a dry run sends whole records only', () => {
    const text = 'a,b\n1,"x\ny"\n2,"un'
    expect(wholeCsvPrefix(new TextEncoder().encode(text))).toBe(12)
  })
})

describe('a namespace to create', () => {
  test('names only what was set', () => {
    expect(configOf({ ...emptyForm, name: 'events' })).toEqual({
      name: 'events',
      storage: { engine: 'memory' },
      segments: 256,
    })
    expect(
      configOf({
        ...emptyForm,
        name: 'e',
        engine: 'device',
        capacityGib: '1.5',
        durability: 'commit',
        ttlSeconds: '60',
      }),
    ).toEqual({
      name: 'e',
      storage: { engine: 'device', capacityBytes: 1.5 * 2 ** 30 },
      segments: 256,
      durability: 'commit',
      defaultTtlSeconds: 60,
    })
  })

  test('refuses what the gateway would refuse', () => {
    const device = { ...emptyForm, name: 'a', engine: 'device', postWriteCacheMib: '0', cachedIo: true } as const
    expect(configOf({ ...device, devices: ' /dev/sdb\n\n/mnt/a 1.5 ', writeBlockKib: '1024' }).storage).toEqual({
      engine: 'device',
      devices: [{ path: '/dev/sdb' }, { path: '/mnt/a', capacityBytes: 1.5 * 2 ** 30 }],
      writeBlockBytes: 2 ** 20,
      postWriteCacheBytes: 0,
      cachedIo: true,
    })
    for (const devices of [
      'sdb',
      '/a b',
      '/a\n/a 5',
      '/a 5 6',
      Array.from({ length: 17 }, (_, n) => `/${n}`).join('\n'),
    ])
      expect(Object.keys(problemsOf({ ...device, devices })), devices).toEqual(['devices'])
    expect(Object.keys(problemsOf({ ...device, devices: '/a', capacityGib: '1' }))).toEqual(['capacityGib'])
    const wrong = { postWriteCacheMib: '1025', defragBelowPercent: '96', defragMibPerSecond: 'x' }
    expect(problemsOf({ ...device, ...wrong })).toMatchObject(
      Object.fromEntries(Object.keys(wrong).map((key) => [key, expect.any(String)])),
    )
    expect(Object.keys(problemsOf({ ...emptyForm, name: '..' }))).toEqual(['name'])
    expect(Object.keys(problemsOf({ ...emptyForm, name: 'a', ttlSeconds: '-1' }))).toEqual(['ttlSeconds'])
    expect(problemsOf({ ...emptyForm, name: 'a' })).toEqual({})
  })
})

test('a problem keeps its code; anything else gets one', () => {
  expect(
    problemFrom(409, { code: 'namespace_exists', title: 'Namespace exists', detail: 'x', field: 'name' }),
  ).toMatchObject({ code: 'namespace_exists', field: 'name' })
  expect(problemFrom(502, '<html>')).toMatchObject({ code: 'http_502', detail: '<html>' })
})
