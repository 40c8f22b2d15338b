// The TypeScript client against a real gateway, over a way that fails.
import {
  ApiProblem,
  changeSlowSettings,
  Client,
  createNamespace,
  createUser,
  deleteRecord,
  double,
  type Exported,
  exported,
  exportRecords,
  getJob,
  getKv,
  getMe,
  getNamespace,
  getPrometheus,
  getRecord,
  getStatus,
  ifAbsent,
  ifMatch,
  importRecords,
  items,
  listRecords,
  listSegments,
  live,
  ndjson,
  parseJson,
  patchRecord,
  printJson,
  putRecord,
  scan,
  signIn,
  startJob,
  writeRecords,
} from '@tessera/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TOKEN, useGateway } from '../gateway.js'
import { FaultyWay } from './faulty.js'

const gateway = useGateway()
const way = new FaultyWay()
const waits: number[] = []
const wait = (ms: number): Promise<void> => {
  waits.push(ms)
  return Promise.resolve()
}
let url = ''
let client: Client
const set = { ns: 'n', set: 's' }
const record = (key: string) => ({ ...set, key })

beforeAll(async () => {
  url = await way.listen(await gateway().app.listen({ host: '127.0.0.1', port: 0 }))
  client = new Client({ url: `${url}/`, token: TOKEN, wait })
  await client.call(createNamespace, { body: { name: 'n', storage: { engine: 'memory' }, segments: 16 } })
})

afterAll(() => way.close())

/** Keys of the records, in the order of numbers. */
async function keysOf(records: AsyncIterable<Exported>): Promise<unknown[]> {
  const keys: unknown[] = []
  for await (const record of records) keys.push('key' in record && record.key)
  return keys.toSorted((a, b) => Number(a) - Number(b))
}
const everyKey = Array.from({ length: 3000 }, (_, key) => key)

beforeEach(() => {
  way.seen.length = 0
  waits.length = 0
  way.faults = []
})

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => 'no error',
    (reason: unknown) => reason,
  )
  return error instanceof ApiProblem ? error.code : String(error)
}

const count = async (lines: AsyncIterable<unknown>): Promise<number> => {
  let number = 0
  for await (const _ of lines) number += 1
  return number
}

const store = (number: number): Promise<unknown> => {
  const rows = Array.from({ length: number }, (_, key) => ({ key, bins: { pad: 'x'.repeat(200), key } }))
  return client.call(writeRecords, { path: { ns: 'n', set: 'many' }, body: ndjson(rows) })
}

describe('calls', () => {
  test('an answer is JSON, text, or nothing', async () => {
    const status = await client.call(getStatus)
    expect(status.healthy).toBe(true)
    expect(await client.call(getPrometheus)).toContain('tessera_')
    await client.call(putRecord, { path: record('gone'), body: {} })
    expect(await client.call(deleteRecord, { path: record('gone') })).toBeUndefined()
  })

  test('keys are encoded as parts of a path, and those that a browser takes for steps are refused', async () => {
    await client.call(putRecord, { path: record('a/b ?%ü'), body: { n: 1 } })
    expect(await client.call(getRecord, { path: record('a/b ?%ü') })).toMatchObject({ key: 'a/b ?%ü' })
    await expect(client.call(getRecord, { path: record('..') })).rejects.toThrow('"key" cannot be ".."')
    await expect(client.call(getRecord, { path: record('') })).rejects.toThrow('the path needs "key"')
  })

  test('a problem has the code, the status, the field and the id of the request', async () => {
    const error: unknown = await client.call(getNamespace, { path: { ns: 'none' } }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'ApiProblem', status: 404, code: 'namespace_not_found', retryable: false })
    expect((error as ApiProblem).requestId).toMatch(/\S/)
    expect(await codeOf(new Client({ url, wait }).call(getStatus))).toBe('auth_required')
    way.faults = [{ status: 404, headers: { 'content-type': 'text/html' } }]
    expect(await codeOf(client.call(getStatus))).toBe('http_404')
  })

  test('a token can be renewed before each request; Basic serves the compatible API', async () => {
    let asked = 0
    const renewed = client.with({ token: () => ((asked += 1), TOKEN) })
    way.faults = ['cut before']
    await renewed.call(getMe)
    expect(asked).toBe(2)
    const basic = new Client({ url, basic: { user: 'any', password: TOKEN }, wait })
    await client.call(putRecord, { path: record('kv'), body: { n: 1 } })
    expect(await basic.call(getKv, { path: record('kv') })).toMatchObject({ bins: { n: 1 } })
    expect(await codeOf(basic.call(getStatus))).toMatch(/^auth_/)
  })

  test('a session by name and password may change something', async () => {
    const password = 'correct horse battery 7 staple'
    await client.call(createUser, { body: { name: 'ada', password, grants: [{ role: 'admin' }] } })
    const ada = await signIn(new Client({ url, wait }), { user: 'ada', password })
    expect(await ada.call(getMe)).toMatchObject({ user: 'ada' })
    await ada.call(changeSlowSettings, { body: { thresholdMs: 60 } })
  })
})

describe('numbers', () => {
  const big = 2n ** 63n - 1n

  test('integers of 64 bits are exact, and a double stays one', async () => {
    const bins = { big, least: -(2n ** 63n), safe: 2 ** 53 - 1, whole: double(1), half: 0.5, deep: [{ big }] }
    await client.call(putRecord, { path: record('numbers'), body: bins })
    const { bins: read } = await client.call(getRecord, { path: record('numbers') })
    expect(read).toEqual({ ...bins, whole: 1 })
    const sum = await client.call(scan, {
      path: { ns: 'n' },
      body: { set: 's', where: { bin: 'big', op: 'eq', value: big } },
    })
    expect(sum).toMatchObject({ records: [{ key: 'numbers' }] })
    const { text } = await gateway().send('GET /api/v1/namespaces/n/sets/s/records/numbers')
    expect(text).toContain('"whole":1.0')
  })

  test.each([
    ['{"a":9007199254740993}', { a: 9007199254740993n }],
    ['[-9223372036854775808]', [-(2n ** 63n)]],
    ['{"a":"9007199254740993","b":1}', { a: '9007199254740993', b: 1 }],
    ['[0.1234567890123456]', [0.1234567890123456]],
    ['[9007199254740991]', [Number.MAX_SAFE_INTEGER]],
  ])('parses %s', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test('a bin may be called as a part of every object', () => {
    const text = '{"__proto__":{"a":9007199254740993}}'
    expect(Object.keys(parseJson(text) as object)).toEqual(['__proto__'])
    expect(printJson(parseJson(text))).toBe(text)
  })

  test('NaN is refused before it is sent', () => {
    expect(() => double(Number.NaN)).toThrow('a double must be finite, got NaN')
    expect(printJson([double(-0), double(1e30), double(2)])).toBe('[-0.0,1e+30,2.0]')
  })
})

describe('versions', () => {
  test('a change is for what was read', async () => {
    await client.call(putRecord, { path: record('v'), body: { n: 1 }, headers: ifAbsent })
    const { etag } = await client.callVersioned(getRecord, { path: record('v') })
    await client.call(patchRecord, { path: record('v'), body: { n: 2 }, headers: ifMatch(etag) })
    const late = client.call(patchRecord, { path: record('v'), body: { n: 3 }, headers: ifMatch(etag) })
    expect(await codeOf(late)).toBe('generation_mismatch')
    expect(await codeOf(client.call(putRecord, { path: record('v'), body: {}, headers: ifAbsent }))).toBe(
      'record_exists',
    )
  })
})

describe('retries', () => {
  test('a read comes through a way that cuts and refuses', async () => {
    way.faults = ['cut before', 'cut after', { status: 503 }, { status: 502 }]
    expect((await client.call(getStatus)).healthy).toBe(true)
    expect(way.seen).toHaveLength(5)
    expect(waits).toHaveLength(4)
  })

  test('the wait grows, is never before Retry-After, and a long one ends the tries', async () => {
    const refused = { code: 'too_many_requests', retryable: true }
    way.faults = [{ status: 429, headers: { 'retry-after': '2' }, body: refused }]
    await client.call(patchRecord, { path: record('r'), body: { n: 1 } }).catch(() => undefined)
    expect(waits[0]).toBeGreaterThanOrEqual(2000)
    way.faults = [{ status: 429, headers: { 'retry-after': '3600' }, body: refused }]
    expect(await codeOf(client.call(getStatus))).toBe('too_many_requests')
    expect(waits).toHaveLength(1)
  })

  test('a POST with a key is done once, though its answer was lost', async () => {
    way.faults = ['cut after']
    const body = { kind: 'count', namespace: 'n' } as const
    const job = await client.call(startJob, { body, query: { wait: '10s' } })
    expect(job).toMatchObject({ kind: 'count', namespace: 'n' })
    const [first, second] = way.seen
    expect(first?.key).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toEqual(first)
    const kept = await gateway().ok<{ items: { kind: string }[] }>('GET /api/v1/jobs?kind=count')
    expect(kept.items).toHaveLength(1)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['PATCH', () => client.call(patchRecord, { path: record('once'), body: { n: 1 } })],
    [
      'a PUT with a precondition',
      () => client.call(putRecord, { path: record('x'), body: {}, headers: ifMatch('"7"') }),
    ],
    ['a batch that streams', () => client.call(writeRecords, { path: set, body: ndjson([{ key: 1, bins: {} }]) })],
  ])('%s is not repeated if it may have been done', async (_, send) => {
    await client.call(putRecord, { path: record('once'), body: { n: 0 } })
    way.seen.length = 0
    way.faults = ['cut before']
    expect(await codeOf(send())).toBe('gateway_unreachable')
    expect(way.seen).toHaveLength(1)
  })

  test('what the server has refused is repeated; what it has not is not', async () => {
    await client.call(putRecord, { path: record('once'), body: { n: 0 } })
    way.faults = [{ status: 503, body: { code: 'overloaded', retryable: true } }]
    await client.call(patchRecord, { path: record('once'), body: { n: 1 } })
    way.faults = [{ status: 503, body: { code: 'write_uncertain', retryable: false } }]
    expect(await codeOf(client.call(putRecord, { path: record('once'), body: { n: 1 } }))).toBe('write_uncertain')
  })

  test('they end', async () => {
    way.faults = Array.from({ length: 9 }, () => 'cut before' as const)
    expect(await codeOf(client.with({ retries: 2 }).call(getStatus))).toBe('gateway_unreachable')
    expect(way.seen).toHaveLength(3)
  })

  test('an abort ends them', async () => {
    const own = new AbortController()
    way.faults = ['cut before']
    const stopped = client.with({ wait: () => (own.abort(new Error('enough')), Promise.resolve()) })
    await expect(stopped.call(getStatus, { signal: own.signal })).rejects.toThrow('enough')
  })
})

describe('streams', () => {
  const all = { path: { ns: 'n' }, body: { set: 'many' } }

  beforeAll(() => store(3000))

  test('lines come one by one, with the job', async () => {
    const lines = await client.lines(scan, all)
    expect(await count(lines)).toBe(3000)
    const job = await client.call(getJob, { path: { id: lines.jobId ?? '' } })
    expect(job).toMatchObject({ state: 'done', result: { returned: 3000 } })
  })

  test('a stream that is cut is an error, after the lines before it', async () => {
    way.faults = ['half']
    const lines = await client.lines(scan, all)
    let read = 0
    const reading = async (): Promise<void> => {
      for await (const _ of lines) read += 1
    }
    expect(await codeOf(reading())).toBe('stream_broken')
    expect(read).toBeLessThan(3000)
    way.faults = ['half']
    expect(await codeOf(client.call(scan, { ...all, body: { set: 'many', limit: 1000 } }))).toBe('stream_broken')
  })

  test('the reason of the server comes as its code', async () => {
    const text = '{"key":1}\n{"error":{"code":"row_too_long","message":"too long"}}\n'
    const told = client.with({ fetch: () => Promise.resolve(new Response(text)) })
    expect(await codeOf(told.lines(scan, all).then(count))).toBe('row_too_long')
    const damaged = '{"error":{"code":"record_damaged","message":"damaged","digest":"00"}}\n'
    const goesOn = client.with({ fetch: () => Promise.resolve(new Response(damaged)) })
    expect(await count(await goesOn.lines(scan, all))).toBe(1)
    const cut = client.with({ fetch: () => Promise.resolve(new Response('{"key":1}\n{"ke')) })
    expect(await codeOf(cut.lines(scan, all).then(count))).toBe('stream_broken')
  })

  test('leaving the loop, and a signal, end the work', async () => {
    const slow = { path: { ns: 'n' }, body: { set: 'many', recordsPerSecond: 100 } }
    const stateOf = async (id: string | undefined): Promise<string> =>
      (await client.call(getJob, { path: { id: id ?? '' } })).state
    const left = await client.lines(scan, slow)
    for await (const _ of left) break
    await expect.poll(() => stateOf(left.jobId)).toBe('aborted')
    const own = new AbortController()
    const stopped = await client.lines(scan, { ...slow, signal: own.signal })
    const reading = count(stopped)
    own.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await expect.poll(() => stateOf(stopped.jobId)).toBe('aborted')
  })

  test('an export is lines, too', async () => {
    expect(await count(await client.lines(exportRecords, { path: { ns: 'n' }, query: { set: 'many' } }))).toBe(3000)
  })

  test('an export goes on behind the last record, however often it breaks off', async () => {
    way.faults = ['half', 'half', { status: 503 }, 'half']
    expect(await keysOf(exported(client, { path: { ns: 'n' }, query: { set: 'many' }, wait }))).toEqual(everyKey)
    expect(way.seen).toHaveLength(5)
    // A connection that breaks may take with it what was not read yet. Here half is read, and then it breaks.
    way.seen.length = 0
    let breaks = 3
    const half = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await fetch(...asked)
      if (breaks === 0) return answer
      breaks -= 1
      const all = new Uint8Array(await answer.arrayBuffer())
      const pieces = [all.subarray(0, all.length / 2)]
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            const piece = pieces.shift()
            if (piece === undefined) controller.error(new Error('it broke off'))
            else controller.enqueue(piece)
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, answer)
    }
    const broken = client.with({ fetch: half })
    expect(await keysOf(exported(broken, { path: { ns: 'n' }, query: { set: 'many' }, wait }))).toEqual(everyKey)
    const asked = way.seen.map(({ line }) => new URLSearchParams(line.slice(line.indexOf('?'))))
    expect(asked.map((query) => query.has('after'))).toEqual([false, true, true, true])
    expect(new Set(asked.slice(1).map((query) => query.get('exportId'))).size).toBe(1)
    way.faults = ['half']
    const first = exported(client, { path: { ns: 'n' }, query: { set: 'many' }, retries: 0, wait })
    expect(await codeOf(count(first))).toBe('stream_broken')
    const none = exported(client, { path: { ns: 'n' }, query: { set: 'nobody' }, wait })
    expect(await codeOf(count(none))).toBe('set_not_found')
  })

  test('an upload is taken from an iterator, and sent once', async () => {
    async function* rows(): AsyncGenerator<string> {
      yield 'id,name\n'
      for (let id = 0; id < 5000; id += 1) yield `${id},name ${id}\n`
    }
    const query = { set: 'people', key: 'id', format: 'csv' } as const
    const report = await client.call(importRecords, { path: { ns: 'n' }, query, body: rows() })
    expect(report).toMatchObject({ inserted: 5000 })
  })
})

describe('lists', () => {
  test('all pages are one iterator', async () => {
    expect(await count(items(client, listSegments, { path: { ns: 'n' }, query: { limit: 3 } }))).toBe(16)
    expect(way.seen).toHaveLength(6)
    const records = items(client, listRecords, { path: { ns: 'n', set: 'many' }, query: { limit: 1000 } })
    expect(await count(records)).toBe(3000)
  })
})

describe('live', () => {
  test('frames go on after a lost connection', async () => {
    way.faults = ['cut before', { status: 503 }]
    const own = new AbortController()
    const seen: number[] = []
    for await (const { seq, latency } of live(client, { query: { topics: 'latency' }, signal: own.signal, wait })) {
      expect(latency).toBeInstanceOf(Array)
      if (seen.push(seq) === 2) break
    }
    expect(way.seen).toHaveLength(3)
  })

  test('a refusal ends it, and so does a signal', async () => {
    const refused = new Client({ url, token: 'wrong' })
    expect(await codeOf(count(live(refused, { wait })))).toMatch(/^auth_/)
    const own = new AbortController()
    const frames = live(client, { signal: own.signal, wait })
    await frames.next()
    own.abort()
    expect(await frames.next()).toEqual({ done: true, value: undefined })
  })

  test('the end of a session is a failure, the end of the server is not', async () => {
    const event = (code: string): string => `event: end\ndata: {"code":"${code}","message":"m"}\n\n`
    const texts = [event('closed'), event('auth_required')]
    const fetch = (): Promise<Response> => Promise.resolve(new Response(texts.shift() ?? ''))
    expect(await codeOf(count(live(client.with({ fetch }), { wait })))).toBe('auth_required')
    expect(texts).toEqual([])
  })
})
