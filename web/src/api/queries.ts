import { infiniteQueryOptions, keepPreviousData, queryOptions, type InfiniteData } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call, callVersioned } from './client'
import { fetchRunLatency } from './history'
import type { AuditEntry, CapacityQuery, Job, JobPage } from './types'
import { eventLog } from '../live/event-log'
import { readFrame } from '../live/frame'

// Every read of the console, one function per route. The key is the path with its parameters, so that a change
// invalidates by prefix. A read continues when its page is left: it is small, and its answer stays in the cache.
// Lists that jobs change are read again after the change, or on an interval while shown.

// The intervals of status and alerts differ, so that they seldom fall on the same second.

/** `isSettled`: only what seldom changes is shown, and the live stream says when the server was away. */
export const statusQuery = (isSettled = false) =>
  queryOptions({
    queryKey: ['status'],
    queryFn: () => call(api.getStatus),
    refetchInterval: ({ state }) => (state.data?.recovering === true ? 500 : isSettled ? 60_000 : 6000),
  })

/** Where each rule stands, and the health that all of them add up to. */
export const alertsQuery = () =>
  queryOptions({
    queryKey: ['alerts'],
    queryFn: () => call(api.listAlerts, { query: { limit: 1000 } }),
    refetchInterval: 5000,
  })

export const alertEventsQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'events'],
    queryFn: () => call(api.listAlertEvents, { query: { limit: 200 } }),
    refetchInterval: 5000,
  })

export const alertRulesQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'rules'],
    queryFn: () => call(api.listAlertRules, { query: { limit: 100 } }),
  })

/** A rule and its version, which a change of it is for. */
export const alertRuleQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'rules', id],
    queryFn: () => callVersioned(api.getAlertRule, { path: { id } }),
    // A form that was opened keeps what it began with.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export const alertMetricsQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'metrics'],
    queryFn: () => call(api.listAlertMetrics),
    staleTime: Infinity,
  })

/** The webhook as it is now; null: none is set. */
export async function readAlertWebhook() {
  try {
    return await callVersioned(api.getAlertWebhook)
  } catch (error) {
    if (error instanceof api.ApiProblem && error.status === 404) return null
    throw error
  }
}

/** Only if `alertsQuery` says that there is one. */
export const alertWebhookQuery = (isSet: boolean) =>
  queryOptions({
    queryKey: ['alerts', 'webhook'],
    queryFn: () => callVersioned(api.getAlertWebhook),
    enabled: isSet,
  })

export const meQuery = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: () => call(api.getMe),
    staleTime: 60_000,
  })

export const namespacesQuery = () =>
  queryOptions({
    queryKey: ['namespaces'],
    queryFn: () => call(api.listNamespaces, { query: { limit: 1000 } }),
  })

/** Clusters that a new namespace may use. */
export const clustersQuery = () =>
  queryOptions({
    queryKey: ['namespaces', '/clusters'],
    queryFn: () => call(api.listClusters),
  })

/** Below the key of the namespaces, so that their changes invalidate it. */
export const orphansQuery = () =>
  queryOptions({
    queryKey: ['namespaces', '/orphans'],
    queryFn: () => call(api.listOrphans, { query: { limit: 1000 } }),
  })

/** Below the key of the namespaces too. Those whose time is up go without anybody's doing. */
export const droppedQuery = () =>
  queryOptions({
    queryKey: ['namespaces', '/dropped'],
    queryFn: () => call(api.listDropped, { query: { limit: 1000 } }),
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? 5000 : false),
  })

/** Those that can be undone. They become final without anybody's doing. */
export const truncationsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'truncations'],
    queryFn: () => call(api.listTruncations, { path: { ns }, query: { limit: 1000 } }),
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? 5000 : false),
  })

export const namespaceQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns],
    queryFn: () => callVersioned(api.getNamespace, { path: { ns } }),
  })

/** Who changed the settings of a namespace, newest first: all that are kept. */
export const configRevisionsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'revisions'],
    queryFn: () => call(api.listConfigRevisions, { path: { ns } }),
  })

export const configRevisionQuery = (ns: string, revision: number) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'revisions', revision],
    queryFn: () => call(api.getConfigRevision, { path: { ns, revision } }),
    staleTime: Infinity,
  })

/** What a roll back would change; its ETag is that of the settings now. */
export const rollBackPlanQuery = (ns: string, revision: number) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'revisions', revision, 'plan'],
    queryFn: () =>
      callVersioned(api.restoreConfigRevision, { path: { ns, revision }, query: { dryRun: true }, body: {} }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export const migrationQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'migration'],
    queryFn: () => call(api.getMigration, { path: { ns } }),
    refetchInterval: 1000,
  })

export const segmentsQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'segments'],
    queryFn: () => call(api.listSegments, { path: { ns }, query: { limit: 4096 } }),
  })

/** What a namespace held in the last `spanMs`. Of its latency it asks for one operation only, as it needs none. */
export const growthQuery = (ns: string, spanMs: number) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'growth', spanMs],
    queryFn: async () => {
      const from = new Date(Date.now() - spanMs).toISOString()
      const query = { from, namespace: ns, op: 'index-lookup' } as const
      const history = await call(api.getHistory, { query })
      eventLog.add(history.items.flatMap((item) => readFrame(item).marks))
      return history
    },
    refetchInterval: Math.max(10_000, spanMs / 300),
  })

/** With the map of the write blocks. */
export const deviceQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'device'],
    queryFn: () => call(api.getDevice, { path: { ns } }),
    refetchInterval: 3000,
  })

/** The pages of a paged namespace. The console polls this and draws the samples over time. */
export const pagesQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'pages'],
    queryFn: () => call(api.getPages, { path: { ns } }),
    refetchInterval: 2000,
  })

/** The cluster of a namespace. Each read asks all of its nodes. */
export const clusterQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'cluster'],
    queryFn: () => call(api.getNamespaceCluster, { path: { ns } }),
    refetchInterval: 3000,
  })

export const pageMapQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'pages', 'map'],
    queryFn: () => call(api.getPageMap, { path: { ns } }),
    refetchInterval: 4000,
  })

/** Estimates for other page sizes. */
export const pageSizesQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'pages', 'what-if'],
    queryFn: () => call(api.getPageSizes, { path: { ns } }),
    refetchInterval: 10_000,
  })

/** `query` is the request's JSON text. */
export const capacityQuery = (query: string, valid: boolean) =>
  queryOptions({
    queryKey: ['capacity', query],
    queryFn: () => call(api.planCapacity, { body: JSON.parse(query) as CapacityQuery }),
    enabled: valid,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    retry: false,
  })

/** The plans of several queries, each of them kept for itself. */
export const capacityPlansQuery = (queries: readonly CapacityQuery[]) =>
  queryOptions({
    queryKey: ['capacity', 'plans', queries],
    queryFn: ({ client: kept }) =>
      Promise.all(
        queries.map(async (query) => ({
          query,
          plan: await kept.fetchQuery(capacityQuery(JSON.stringify(query), true)),
        })),
      ),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    retry: false,
  })

/** Saved queries of every namespace: there are at most 500. */
export const savedQueriesQuery = () =>
  queryOptions({
    queryKey: ['queries'],
    queryFn: () => call(api.listQueries, { query: { limit: 500 } }),
  })

export const savedQueryQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['queries', id],
    queryFn: () => call(api.getQuery, { path: { id: id ?? '' } }),
    enabled: id !== undefined,
    retry: false,
  })

/** The last queries of the console. */
export const queryHistoryQuery = () =>
  queryOptions({
    queryKey: ['query-history'],
    queryFn: () => call(api.queryHistory, { query: { limit: 200 } }),
  })

/** Which jobs or runs a list is of; several kinds or states are comma-separated. */
export interface ListFilter {
  kind?: string | undefined
  state?: string | undefined
  namespace?: string | undefined
  /** created so many seconds ago or later */
  sinceSeconds?: number | undefined
  /** created from then on, and before the other, Unix milliseconds */
  fromMs?: number | undefined
  toMs?: number | undefined
}

/** Jobs or runs of the newest page of a list, which is read again and again, and of an older one. */
const NEWEST = 100
const OLDER = 500

const listQuery = ({ state, namespace, sinceSeconds, fromMs, toMs }: ListFilter, cursor: string | undefined) => ({
  limit: cursor === undefined ? NEWEST : OLDER,
  ...(state !== undefined && { state }),
  ...(sinceSeconds !== undefined && { from: new Date(Date.now() - sinceSeconds * 1000).toISOString() }),
  ...(namespace !== undefined && { namespace }),
  ...(fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
  ...(toMs !== undefined && { to: new Date(toMs).toISOString() }),
  ...(cursor !== undefined && { cursor }),
})

/** The jobs that have not ended; there are 256 at most. */
export const runningJobsQuery = () =>
  queryOptions({
    queryKey: ['jobs', 'running'],
    queryFn: () => call(api.listJobs, { query: { state: 'queued,running,paused' } }),
  })

/** The newest jobs of a kind. */
export const jobsOfKindQuery = (kind: Job['kind'], limit = 500) =>
  queryOptions({
    queryKey: ['jobs', 'kind', kind, limit],
    queryFn: () => call(api.listJobs, { query: { kind, limit } }),
  })

/** Jobs that ended, a page at a time. */
export const endedJobsQuery = ({ kind, state = 'done,failed,aborted', ...rest }: ListFilter) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'ended', kind, state, rest],
    queryFn: async ({ pageParam }) => {
      const query = { ...listQuery({ state, ...rest }, pageParam), ...(kind !== undefined && { kind }) }
      return call(api.listJobs, { query })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    structuralSharing: (old, read) => keepEnded(old as JobPages | undefined, read as JobPages),
  })

type JobPages = InfiniteData<JobPage, string | undefined>

/** What ended stays as it is, so a job that is there already stays the same object, wherever it is in the list. */
function keepEnded(old: JobPages | undefined, read: JobPages): JobPages {
  const known = new Map(old?.pages.flatMap(({ items }) => items).map((job) => [job.id, job]))
  const pages = read.pages.map((page) => ({ ...page, items: page.items.map((job) => known.get(job.id) ?? job) }))
  return { ...read, pages }
}

interface SlowAsked {
  ns?: string | undefined
  /** only these; unset: all */
  ops?: readonly string[] | undefined
  group: 'none' | 'shape'
  sort: 'newest' | 'slowest'
  /** Unix milliseconds: only those that ended from then on, and before the other. */
  from?: number | undefined
  to?: number | undefined
  /** only those that took the engine at least so long, and less than so long */
  minEngineMs?: number | undefined
  belowEngineMs?: number | undefined
  limit?: number
}

export const slowQuery = ({ ns, ops, group, sort, from, to, minEngineMs, belowEngineMs, limit }: SlowAsked) =>
  queryOptions({
    queryKey: ['slow', 'operations', ns, ops, group, sort, from, to, minEngineMs, belowEngineMs, limit],
    queryFn: async () => {
      const query = {
        sort,
        ...(ns !== undefined && { namespace: ns }),
        ...(ops !== undefined && { op: ops.join(',') }),
        ...(group === 'shape' && { group }),
        ...(from !== undefined && { since: new Date(from).toISOString() }),
        ...(to !== undefined && { until: new Date(to).toISOString() }),
        ...(minEngineMs !== undefined && { minEngineMs }),
        ...(belowEngineMs !== undefined && { belowEngineMs }),
        ...(limit !== undefined && { limit }),
      }
      return call(api.listSlowOperations, { query })
    },
    placeholderData: keepPreviousData,
  })

export const slowSettingsQuery = () =>
  queryOptions({
    queryKey: ['slow', 'settings'],
    queryFn: () => call(api.getSlowSettings),
  })

export interface AuditAsked {
  who?: string | undefined
  operation?: string | undefined
  namespace?: string | undefined
  outcome?: AuditEntry['outcome']
  from?: string | undefined
  to?: string | undefined
  sinceSeconds?: number | undefined
}

/** Who did what, newest first. To read it leaves an entry, so nothing reads it again by itself. */
export const auditQuery = ({ sinceSeconds, ...asked }: AuditAsked) =>
  infiniteQueryOptions({
    queryKey: ['audit', asked, sinceSeconds],
    queryFn: async ({ pageParam }) => {
      const query = {
        ...(Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as object),
        ...(sinceSeconds !== undefined && { from: new Date(Date.now() - sinceSeconds * 1000).toISOString() }),
        ...(pageParam !== undefined && { cursor: pageParam }),
      }
      return call(api.listAudit, { query })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    refetchOnWindowFocus: false,
  })

/** Progress of an upload that broke off. */
export const importProgressQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['imports', jobId],
    queryFn: ({ signal }) => call(api.getImport, { path: { jobId }, signal }),
    retry: false,
  })

export const jobQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['jobs', id],
    queryFn: () => call(api.getJob, { path: { id: id ?? '' } }),
    enabled: id !== undefined,
  })

/** Runs of the load generator, a page at a time. */
export const workloadsQuery = ({ state, sinceSeconds }: ListFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['workloads', 'list', state, sinceSeconds],
    queryFn: async ({ pageParam }) => {
      const query = listQuery({ state, sinceSeconds }, pageParam)
      return call(api.listWorkloads, { query })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  })

export const workloadQuery = (id: string) =>
  queryOptions({
    queryKey: ['workloads', id],
    queryFn: () => call(api.getWorkload, { path: { id } }),
    refetchInterval: ({ state: { data, error } }) => {
      if (data === undefined || error !== null) return false
      if (data.endedAt === undefined) return 1000
      return data.unsaved === undefined ? false : UNSAVED_MS
    },
  })

/** The server tries as often to save a run that ended. */
const UNSAVED_MS = 10_000

/** The histograms of a run that has ended; no steps of one from before there were some. */
export const workloadLatencyQuery = (id: string) =>
  queryOptions({
    queryKey: ['workloads', id, 'latency'],
    queryFn: () => fetchRunLatency(id),
    staleTime: Infinity,
  })

export const comparisonQuery = (ids: string) =>
  queryOptions({
    queryKey: ['workloads', 'compare', ids],
    queryFn: () => call(api.compareWorkloads, { query: { ids } }),
  })

export const labQuery = () =>
  queryOptions({
    queryKey: ['lab'],
    queryFn: () => call(api.getLab),
    staleTime: Infinity,
  })

export const labRunsQuery = () =>
  queryOptions({
    queryKey: ['lab', 'runs'],
    queryFn: () => call(api.listLabRuns, { query: { limit: 50 } }),
    refetchInterval: ({ state }) =>
      state.data?.items.some((run) => run.endedAt === undefined) === true ? 1000 : 10_000,
  })

/** The API's own document. */
export const openapiQuery = () =>
  queryOptions({
    queryKey: ['openapi'],
    queryFn: (): Promise<unknown> => call(api.getOpenapi),
    staleTime: Infinity,
  })

export const tokensQuery = () =>
  queryOptions({
    queryKey: ['tokens'],
    queryFn: () => call(api.listTokens, { query: { limit: 1000 } }),
  })
