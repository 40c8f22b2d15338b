// A request for each operation that is about the namespace `mine` and, where it can, about the set `eu-1` of it.
import type { Gateway, SendOptions } from '../gateway.js'
import type { Route } from './every-route.js'

export interface Things {
  /** Of an import into `eu-1`. */
  job: string
  workload: string
}

const key = { namespace: 'mine', setName: 'eu-1', userKey: 'k' }
const query = { name: 'again', namespace: 'mine', request: '{}' }
export const rule = {
  name: 'many records',
  severity: 'warning',
  namespace: 'mine',
  threshold: { metric: 'namespace.usedPercent', when: 'above', value: 90, forSeconds: 60 },
}

/** What a request needs so that its namespace and set are looked at. */
const asked: Readonly<Record<string, { query?: string; body?: object | string }>> = {
  getSize: { query: 'set=eu-1' },
  exportRecords: { query: 'set=eu-1' },
  profileRecords: { query: 'set=eu-1' },
  importRecords: { query: 'set=eu-1&format=ndjson', body: '{"a":1}\n' },
  resumeImport: { query: 'offset=0', body: 'rest' },
  writeRecords: { body: '{}\n' },
  writeRecordsWithoutSet: { body: '{}\n' },
  operateRead: { query: 'key=k' },
  operateReadSet: { query: 'key=k' },
  operateV2Read: { query: 'key=k', body: { opsList: [] } },
  operateV2ReadSet: { query: 'key=k', body: { opsList: [] } },
  operateV2: { body: { opsList: [] } },
  operateV2Set: { body: { opsList: [] } },
  query: { body: { set: 'eu-1' } },
  scan: { body: { set: 'eu-1' } },
  stream: { body: { set: 'eu-1', steps: [] } },
  startJob: { body: { kind: 'count', namespace: 'mine', set: 'eu-1' } },
  startWorkload: { body: { namespace: 'mine', set: 'eu-1' } },
  readRecords: { body: ['k'] },
  readRecordsWithoutSet: { body: ['k'] },
  updateJob: { body: { threads: 1 } },
  createCompatibleIndex: { body: { name: 'ix', namespace: 'mine', set: 'eu-1', bin: 'a', type: 'NUMERIC' } },
  compatibleBatch: { body: [{ type: 'READ', key }] },
  saveQuery: { body: query },
  replaceQuery: { body: query },
  setOpenQueries: { body: { items: [] } },
  createAlertRule: { body: rule },
  replaceAlertRule: { body: rule },
  muteAlertRule: { body: { until: new Date(Date.now() + 3_600_000).toISOString() } },
  createNamespace: { body: { name: 'mine', storage: { engine: 'memory' } } },
  migrateNamespace: { body: { storage: { engine: 'memory' } } },
  updateNamespace: { body: { defaultTtlSeconds: 1 } },
  createSet: { body: { name: 'eu-2' } },
  createIndex: { body: { name: 'ix', bin: 'a', kind: 'range', set: 'eu-1' } },
  updateSet: { body: { limits: {} } },
  changeSlowSettings: { body: { keepKeys: true } },
  runExperiment: { body: { experiment: 'tps' } },
  createToken: { body: { name: 'x', grants: [{ role: 'reader' }] } },
  setAlertWebhook: { body: { url: 'http://127.0.0.1:1/' } },
  planCapacity: { body: {} },
  info: { body: ['sets'] },
  infoNode: { body: ['sets'] },
}

/** A thing of its own for each request, because some delete it. */
async function idFor({ operation, url }: Route, { app }: Gateway, { job, workload }: Things): Promise<string> {
  if (url.includes('/workloads/')) return workload
  if (url.includes('/alerts/rules/')) return (await app.alerts.rules.add(rule as never, 'test')).id
  if (url.includes('/queries/'))
    return (await app.queries.saved.add({ ...query, name: `${operation} ${Math.random()}` }, 'test')).id
  return job
}

/** The request with `mine` replaced by `namespace`. */
export async function requestFor(
  route: Route,
  gateway: Gateway,
  things: Things,
): Promise<{ line: string; options: SendOptions; tidy: () => Promise<unknown> }> {
  const { method, url, operation } = route
  const id = /:(id|jobId)$|:(id|jobId)\//.test(url) ? await idFor(route, gateway, things) : ''
  const path = url
    .replace(':ns', 'mine')
    .replace(/:(set|table)\b/, 'eu-1')
    .replace(/:(id|jobId)\b/, id)
    .replace(/:(index|name)\b/, 'eu-ix')
    .replace(/:(begin|count)\b/g, '1')
    .replace(/:\w+/g, 'k')
  const { query: search, body = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? undefined : {} } =
    asked[operation] ?? {}
  const { alerts, queries } = gateway.app
  const runs = operation === 'compareWorkloads' ? `ids=${things.workload},${things.workload}` : search
  return {
    line: `${method} ${path}${runs === undefined ? '' : `?${runs}`}`,
    options: {
      ...(body !== undefined && { body }),
      headers: typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {},
    },
    tidy: async () => {
      if (url.includes('/alerts/rules')) await alerts.rules.remove(id, () => undefined).catch(() => undefined)
      if (url.includes('/queries')) await queries.saved.remove(id, () => undefined).catch(() => undefined)
      for (const one of alerts.rules.list().filter(({ name }) => name === rule.name))
        await alerts.rules.remove(one.id, () => undefined)
      for (const one of queries.saved.list().filter(({ name }) => name === query.name))
        await queries.saved.remove(one.id, () => undefined)
    },
  }
}
