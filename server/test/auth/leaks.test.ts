// Nobody learns the name of a namespace, or of a set, that no grant of theirs is about.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Grant } from '../../src/auth/grants.js'
import { useGateway } from '../gateway.js'
import { everyRoute, type Route } from './every-route.js'
import { requestFor, rule, type Things } from './requests.js'

const SECRET = 'zz-secret'
/** A set of the own namespace, outside the prefix. */
const BESIDE = 'us-beside'

const callers: Record<string, Grant[]> = {
  reader: [{ role: 'reader', namespace: 'mine' }],
  operator: [{ role: 'operator', namespace: 'mine' }],
  prefix: [{ role: 'writer', namespace: 'mine', setPrefix: 'eu-' }],
}

/** So many that a query which reads them all is a slow one, however fast the machine is. */
const rowsOf = (set: string): string =>
  Array.from({ length: 10_000 }, (_, row) => `{"key":"k${row === 0 ? '' : row}","a":"${set}"}\n`).join('')

/** Those whose answers of an administrator name what others must not see. */
const TELLING = [
  'getPrometheus',
  'getHistory',
  'listNamespaces',
  'listJobs',
  'listWorkloads',
  'listQueries',
  'queryHistory',
  'listSlowOperations',
  'listAlerts',
  'listAlertRules',
  'listBackupSchedules',
  'listAllIndexes',
  'listCompatibleIndexes',
  'getCluster',
]

describe('names that a caller must not see', () => {
  const gateway = useGateway()
  const tokens: Record<string, string> = {}
  let routes: Route[]
  let mine: Things
  let theirs: Things & { query: string; rule: string }

  const as = (caller: string) => ({ authorization: `Bearer ${tokens[caller] ?? ''}` })

  async function fill(namespace: string, sets: readonly string[]): Promise<Things> {
    const { ok } = gateway()
    await gateway().memoryNamespace(namespace)
    let job = ''
    for (const set of sets) {
      await ok(`POST /api/v1/namespaces/${namespace}/indexes?wait=10s`, {
        body: { name: `${set}-ix`, bin: 'a', kind: 'range', set },
      })
      ;({ jobId: job } = await ok<{ jobId: string }>(`POST /api/v1/namespaces/${namespace}/import?set=${set}`, {
        body: rowsOf(set),
        headers: { 'content-type': 'application/x-ndjson' },
      }))
      await ok(`POST /api/v1/namespaces/${namespace}/query`, { body: { set } })
    }
    const run = { namespace, set: sets[0], keys: 10, operations: 10 }
    const { id } = await ok<{ id: string }>('POST /api/v1/workloads?wait=20s', { body: run })
    return { job, workload: id }
  }

  beforeAll(async () => {
    routes = await everyRoute()
    const { ok, app } = gateway()
    await ok('PATCH /api/v1/slow/settings', { body: { thresholdMs: 0.1 } })
    mine = await fill('mine', [BESIDE, 'eu-1'])
    const things = await fill(SECRET, [`${SECRET}-set`])
    await ok(`PUT /api/v1/namespaces/${SECRET}/backup-schedule`, { body: { everyHours: 744 } })
    const query = await app.queries.saved.add({ name: 'q', namespace: SECRET, request: '{}' }, 'test')
    const kept = await app.alerts.rules.add({ ...rule, namespace: SECRET } as never, 'test')
    theirs = { ...things, query: query.id, rule: kept.id }
    app.queries.history.add({ id: 'h', at: new Date().toISOString(), namespace: SECRET, request: '{}', ms: 1 })
    for (const [name, grants] of Object.entries(callers)) {
      const { token } = await ok<{ token: string }>('POST /api/v1/tokens', { body: { name, grants } })
      tokens[name] = token
    }
    // A second later, frames and alerts tell of it.
    for (const line of ['GET /metrics', 'GET /api/v1/metrics/history', 'GET /api/v1/alerts'])
      await vi.waitFor(async () => expect((await gateway().send(line)).text).toContain(SECRET), 60_000)
  })
  afterEach(() => vi.restoreAllMocks())

  const reads = () =>
    routes.filter(
      ({ method, operation }) =>
        (method === 'GET' && operation !== 'live') ||
        /^(info|query$|scan|stream|readRecords|compatibleQ)/.test(operation),
    )

  test('an administrator sees them', async () => {
    const silent: string[] = []
    for (const route of reads().filter(({ operation }) => TELLING.includes(operation))) {
      const { line, options } = await requestFor(route, gateway(), mine)
      if (!(await gateway().send(line, options)).text.includes(SECRET)) silent.push(line)
    }
    expect(silent).toEqual([])
  })

  test.each(Object.keys(callers))('no answer tells them to a %s', async (caller) => {
    const told: string[] = []
    let answered = 0
    for (const route of reads()) {
      const { line, options, tidy } = await requestFor(route, gateway(), mine)
      const { status, text, headers } = await gateway().send(line, {
        ...options,
        headers: { ...options.headers, ...as(caller) },
      })
      await tidy()
      if (status < 300) answered += 1
      const all = text + JSON.stringify(headers)
      if (all.includes(SECRET) || (caller === 'prefix' && all.includes(BESIDE))) told.push(line)
    }
    expect(told).toEqual([])
    expect(answered).toBeGreaterThan(20)
  })

  test.each(Object.keys(callers))('no live frame tells them to a %s', async (caller) => {
    const { app } = gateway()
    const url = app.server.listening ? undefined : await app.listen({ host: '127.0.0.1', port: 0 })
    const address = app.server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const frame = async (headers: Record<string, string>): Promise<string> => {
      const stop = new AbortController()
      const { body } = await fetch(`${url ?? `http://127.0.0.1:${port ?? 0}`}/api/v1/live`, {
        headers,
        signal: stop.signal,
      })
      let text = ''
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString()
        if (text.includes('\n\n')) break
      }
      stop.abort()
      return text
    }
    const whole = await frame({ authorization: `Bearer ${'T'.repeat(43)}` })
    expect(whole).toContain(SECRET)
    const seen = await frame(as(caller))
    expect(seen).toContain('event: frame')
    expect(seen).not.toContain(SECRET)
  })

  test.each(Object.keys(callers))(
    'a namespace that a %s may not see is like one that does not exist',
    async (caller) => {
      const different: string[] = []
      const namesIt = ({ url, operation }: Route) =>
        url.includes(':ns') ||
        /^(start|saveQuery|createAlertRule|createCompatibleIndex|compatibleBatch)/.test(operation)
      for (const route of routes.filter((one) => namesIt(one) && one.method !== 'HEAD')) {
        const { line, options, tidy } = await requestFor(route, gateway(), mine)
        const answers: string[] = []
        for (const name of [SECRET, 'zz-absent']) {
          const put = (text: string) => text.replaceAll('mine', name)
          const body =
            typeof options.body === 'object' ? (JSON.parse(put(JSON.stringify(options.body))) as object) : options.body
          const headers = { ...options.headers, ...as(caller) }
          const { status, text } = await gateway().send(put(line), { headers, ...(body !== undefined && { body }) })
          answers.push(`${status} ${text.replaceAll(name, 'NAME').replaceAll(/"requestId":"[^"]+"/g, '')}`)
        }
        await tidy()
        if (answers[0] !== answers[1] || answers[0]?.startsWith('2') === true)
          if (route.operation !== 'compatibleBatch' || answers[0] !== answers[1])
            different.push(`${line} ${answers.join(' | ')}`)
      }
      expect(different).toEqual([])
    },
  )

  test.each(Object.keys(callers))('nor does an id tell a %s that it exists', async (caller) => {
    const different: string[] = []
    for (const route of routes.filter(({ url, method }) => /:(id|jobId)\b/.test(url) && method !== 'HEAD')) {
      const { line, options, tidy } = await requestFor(route, gateway(), { job: 'ID', workload: 'ID' })
      const own = /rules\/([^/?]+)|queries\/([^/?]+)/.exec(line)
      const place = own === null ? 'ID' : (own[1] ?? own[2] ?? '')
      const kind = /\/(workloads|queries|rules)\//.exec(line)?.[1]
      const secret = { workloads: theirs.workload, queries: theirs.query, rules: theirs.rule }[kind ?? ''] ?? theirs.job
      const answers: string[] = []
      for (const id of [secret, '0000000000000']) {
        const headers = { ...options.headers, ...as(caller) }
        const { status, text } = await gateway().send(line.replace(place, id), { ...options, headers })
        answers.push(`${status} ${text.replaceAll(id, 'ID').replaceAll(/"requestId":"[^"]+"/g, '')}`)
      }
      await tidy()
      if (answers[0] !== answers[1] || answers[0]?.startsWith('2') === true)
        different.push(`${line} ${answers.join(' | ')}`)
    }
    expect(different).toEqual([])
  })

  test.each([
    ['PUT', '/mute', { until: new Date(Date.now() + 3_600_000).toISOString() }],
    ['DELETE', '/mute', undefined],
    ['POST', '/test', undefined],
  ])('%s %s of a rule that is moved meanwhile is refused', async (method, path, body) => {
    const { app, send } = gateway()
    const { id } = await app.alerts.rules.add(rule as never, 'test')
    const intent = app.audit.intent.bind(app.audit)
    vi.spyOn(app.audit, 'intent').mockImplementationOnce(async (facts) => {
      await app.alerts.rules.replace(id, { ...rule, namespace: SECRET } as never, 'test', () => undefined)
      return intent(facts)
    })
    const options = { headers: as('operator'), ...(body !== undefined && { body }) }
    const answer = await send(`${method} /api/v1/alerts/rules/${id}${path}`, options)
    expect([answer.status, answer.json()['code']]).toEqual([404, 'namespace_not_found'])
    expect(app.alerts.rules.get(id).mutedUntil).toBeUndefined()
    expect(app.alerts.events().some(({ ruleId }) => ruleId === id)).toBe(false)
    await app.alerts.rules.remove(id, () => undefined)
  })

  test('readyz and status name only what the caller sees', async () => {
    const { app, send } = gateway()
    const real = await app.engine.status()
    const notice = { namespace: SECRET, state: 'failed' as const, code: 'device_missing', message: 'gone' }
    const progress = { namespace: SECRET, phase: 'reading' as const, doneBytes: 1, totalBytes: 2 }
    vi.spyOn(app.engine, 'status').mockResolvedValue({
      ...real,
      healthy: false,
      recovering: true,
      reasons: [`${SECRET}: could not be opened: gone`],
      notices: [notice],
      progress: [progress],
      orphans: [`${SECRET}-1`],
    })
    for (const path of ['GET /readyz', 'GET /healthz']) {
      const nobody = await send(path, { anonymous: true })
      expect(nobody.text).not.toContain(SECRET)
      expect((await send(path, { headers: as('reader') })).text).not.toContain(SECRET)
    }
    expect((await send('GET /readyz', { anonymous: true })).status).toBe(503)
    expect((await send('GET /readyz')).text).toContain(SECRET)
    expect((await send('GET /api/v1/status')).text).toContain(SECRET)
    expect((await send('GET /api/v1/status', { headers: as('operator') })).text).not.toContain(SECRET)
  })

  afterAll(() => vi.restoreAllMocks())
})
