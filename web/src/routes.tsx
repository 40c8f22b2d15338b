import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { prefetch, prefetchPages } from './api/prefetch'
import { aboutQuery } from './api/about'
import { sessionsQuery, usersQuery } from './api/access'
import { backupSchedulesQuery, backupsQuery, backupTargetsQuery } from './api/backups'
import { prefetchIf, prefetchPagesIf } from './api/prefetch-if'
import { allIndexesQuery, indexesQuery } from './api/indexes'
import {
  alertEventsQuery,
  alertRulesQuery,
  alertsQuery,
  auditQuery,
  clusterQuery,
  comparisonQuery,
  configRevisionsQuery,
  deviceQuery,
  endedJobsQuery,
  jobQuery,
  labQuery,
  labRunsQuery,
  namespaceQuery,
  meQuery,
  namespacesQuery,
  openapiQuery,
  droppedQuery,
  orphansQuery,
  pageMapQuery,
  pageSizesQuery,
  pagesQuery,
  runningJobsQuery,
  segmentsQuery,
  slowSettingsQuery,
  statusQuery,
  tokensQuery,
  workloadQuery,
  workloadsQuery,
} from './api/queries'
import { serverConfigQuery, serverRevisionsQuery } from './api/server-config'
import { setPagesQuery, setsQuery } from './api/sets'
import { queryClient } from './api/query-client'
import { here } from './base-path'
import type { Namespace } from './api/types'
import { filterOf } from './components/jobs/list-filter'
import { isOpen } from './components/namespaces/namespace-states'
import { readRangeSearch } from './live/range'
import { readAlertsSearch } from './pages/alerts/search'
import { readApiSearch } from './pages/api/search'
import { askedOf, readAuditSearch } from './pages/audit/search'
import { readBackupsSearch } from './pages/backups/search'
import { canCompare, readBenchmarksSearch, readCompareSearch } from './pages/benchmarks/search'
import { readServerConfigSearch } from './pages/config/search'
import { readImportSearch } from './pages/import/search'
import { readIndexesSearch } from './pages/indexes/search'
import { readJobsSearch } from './pages/jobs/search'
import { readLabSearch } from './pages/lab/search'
import { readLiveSearch } from './pages/live/search'
import { isSignInFailure, type SignInFailure } from './pages/login/failures'
import { readConfigSearch } from './pages/namespaces/config/search'
import { readSchemaSearch } from './pages/namespaces/schema/search'
import { readSegmentsSearch } from './pages/namespaces/segments/search'
import { NotFound } from './pages/NotFound'
import { readQuerySearch } from './pages/query/search'
import { readRecordsSearch, type RecordsSearch } from './pages/records/search'
import { readScansSearch } from './pages/scans/search'
import { readSlowSearch } from './pages/slow/search'
import { readStreamsSearch } from './pages/streams/search'
import { parseSearch, stringifySearch } from './search'
import { readKioskSearch } from './shell/kiosk'
import { Loading } from './shell/Loading'
import { RouteError } from './shell/RouteError'
import { Root } from './shell/Root'

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: (raw: Record<string, unknown>) => ({ ...readRangeSearch(raw), ...readKioskSearch(raw) }),
  // Every link of the console carries both on, so that all pages show the same span.
  search: { middlewares: [retainSearchParams(['window', 'kiosk'])] },
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (raw: Record<string, unknown>): { next?: string; failed?: SignInFailure } => ({
    ...(typeof raw['next'] === 'string' && /^\/(?!\/)/.test(raw['next']) && { next: raw['next'] }),
    // Only what the gateway says: an address must not put its own words on this page.
    ...(isSignInFailure(raw['failed']) && { failed: raw['failed'] }),
  }),
  component: lazyRouteComponent(() => import('./pages/login/LoginPage'), 'LoginPage'),
})

/** A link that is pointed at loads code and no data: the footer shows the calls of the page that is open. */
const codeOnly = { preload: false } as const
const under = { getParentRoute: () => root, ...codeOnly } as const

const overview = createRoute({
  ...under,
  path: '/',
  loader: () => prefetch(statusQuery(), alertsQuery(), namespacesQuery()),
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage'), 'OverviewPage'),
})
const live = createRoute({
  ...under,
  path: '/live',
  validateSearch: readLiveSearch,
  component: lazyRouteComponent(() => import('./pages/live/LivePage'), 'LivePage'),
})
const alerts = createRoute({
  ...under,
  path: '/alerts',
  validateSearch: readAlertsSearch,
  loader: () => prefetch(alertsQuery(), alertRulesQuery(), alertEventsQuery()),
  component: lazyRouteComponent(() => import('./pages/alerts/AlertsPage'), 'AlertsPage'),
})
const namespaces = createRoute({
  ...under,
  path: '/namespaces',
  loader: () => {
    prefetch(namespacesQuery(), statusQuery())
    void prefetchIf('listOrphans', orphansQuery())
    void prefetchIf('listDropped', droppedQuery())
  },
  component: lazyRouteComponent(() => import('./pages/namespaces/NamespacesPage'), 'NamespacesPage'),
})
const newNamespace = createRoute({
  ...under,
  path: '/namespaces/new',
  component: lazyRouteComponent(() => import('./pages/namespaces/new/NewNamespacePage'), 'NewNamespacePage'),
})
const namespace = createRoute({
  ...under,
  path: '/namespaces/$ns',
  loader: ({ params: { ns } }) => prefetch(namespaceQuery(ns)),
  component: lazyRouteComponent(() => import('./pages/namespaces/detail/NamespaceLayout'), 'NamespaceLayout'),
})

/** Whether the namespace, as last read, is open with this engine; otherwise its tab reads nothing. */
function isOpenOn(engine: Namespace['config']['storage']['engine'], ns: string): boolean {
  const known = queryClient.getQueryData(namespaceQuery(ns).queryKey)
  return known !== undefined && isOpen(known) && known.config.storage.engine === engine
}

const inNamespace = { getParentRoute: () => namespace, ...codeOnly } as const
const tabs = [
  createRoute({
    ...inNamespace,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/OverviewTab'), 'OverviewTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/sets',
    loader: ({ params: { ns } }) => prefetchPages(setPagesQuery(ns, {})),
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/sets/SetsTab'), 'SetsTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/schema',
    validateSearch: readSchemaSearch,
    component: lazyRouteComponent(() => import('./pages/namespaces/schema/SchemaTab'), 'SchemaTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/indexes',
    loader: ({ params: { ns } }) => prefetch(indexesQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/IndexesTab'), 'IndexesTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/device',
    loader: ({ params: { ns } }) => isOpenOn('device', ns) && prefetch(deviceQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/device/DeviceTab'), 'DeviceTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/storage',
    loader: ({ params: { ns } }) =>
      isOpenOn('paged', ns) && prefetch(pagesQuery(ns), pageMapQuery(ns), pageSizesQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/storage/StorageTab'), 'StorageTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/cluster',
    loader: ({ params: { ns } }) => isOpenOn('cassandra', ns) && prefetch(clusterQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/cluster/ClusterTab'), 'ClusterTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/segments',
    validateSearch: readSegmentsSearch,
    loader: ({ params: { ns } }) => prefetch(segmentsQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/segments/SegmentsTab'), 'SegmentsTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/config',
    validateSearch: readConfigSearch,
    loader: ({ params: { ns } }) => prefetch(configRevisionsQuery(ns)),
    component: lazyRouteComponent(() => import('./pages/namespaces/config/ConfigTab'), 'ConfigTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/migrate',
    component: lazyRouteComponent(() => import('./pages/namespaces/migrate/MigrateTab'), 'MigrateTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/danger',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/DangerTab'), 'DangerTab'),
  }),
] as const
const records = createRoute({
  ...under,
  path: '/records',
  validateSearch: readRecordsSearch,
  loaderDeps: ({ search: { ns, set, where, order, from } }) => ({ ns, set, where, order, from }),
  loader: ({ deps, cause }) => {
    // First, because the list waits for it.
    if (cause === 'enter') void beginRecords(deps)
    prefetch(namespacesQuery(), ...(deps.ns === undefined ? [] : [setsQuery(deps.ns)]))
  },
  component: lazyRouteComponent(() => import('./pages/records/RecordsPage'), 'RecordsPage'),
})

/** Its code is with the page's, which a pointed link has loaded. A failure is the page's to show. */
const beginRecords = async (search: RecordsSearch): Promise<void> => {
  const { beginList } = await import('./pages/records/RecordsPage')
  await beginList(search).catch(() => undefined)
}

const query = createRoute({
  ...under,
  path: '/query',
  validateSearch: readQuerySearch,
  loaderDeps: ({ search: { ns } }) => ({ ns }),
  loader: ({ deps: { ns } }) =>
    prefetch(namespacesQuery(), ...(ns === undefined ? [] : [setsQuery(ns), indexesQuery(ns)])),
  component: lazyRouteComponent(() => import('./pages/query/QueryPage'), 'QueryPage'),
})
const importRoute = createRoute({
  ...under,
  path: '/import',
  validateSearch: readImportSearch,
  loader: () => prefetch(namespacesQuery(), statusQuery()),
  component: lazyRouteComponent(() => import('./pages/import/ImportPage'), 'ImportPage'),
})
const scans = createRoute({
  ...under,
  path: '/scans',
  validateSearch: readScansSearch,
  loaderDeps: ({ search: { ns } }) => ({ ns }),
  loader: ({ deps: { ns } }) =>
    prefetch(namespacesQuery(), statusQuery(), ...(ns === undefined ? [] : [setsQuery(ns)])),
  component: lazyRouteComponent(() => import('./pages/scans/ScansPage'), 'ScansPage'),
})
const streams = createRoute({
  ...under,
  path: '/streams',
  validateSearch: readStreamsSearch,
  loaderDeps: ({ search: { ns } }) => ({ ns }),
  loader: ({ deps: { ns } }) =>
    prefetch(namespacesQuery(), statusQuery(), ...(ns === undefined ? [] : [setsQuery(ns)])),
  component: lazyRouteComponent(() => import('./pages/streams/StreamsPage'), 'StreamsPage'),
})
const indexes = createRoute({
  ...under,
  path: '/indexes',
  validateSearch: readIndexesSearch,
  loaderDeps: ({ search: { ns } }) => ({ ns }),
  loader: ({ deps: { ns } }) => prefetch(namespacesQuery(), ns === undefined ? allIndexesQuery() : indexesQuery(ns)),
  component: lazyRouteComponent(() => import('./pages/indexes/IndexesPage'), 'IndexesPage'),
})
const index = createRoute({
  ...under,
  path: '/indexes/$ns/$name',
  loader: ({ params: { ns } }) => prefetch(indexesQuery(ns)),
  component: lazyRouteComponent(() => import('./pages/indexes/IndexPage'), 'IndexPage'),
})
const slow = createRoute({
  ...under,
  path: '/slow',
  validateSearch: readSlowSearch,
  loader: () => prefetch(namespacesQuery(), slowSettingsQuery()),
  component: lazyRouteComponent(() => import('./pages/slow/SlowPage'), 'SlowPage'),
})
const jobs = createRoute({
  ...under,
  path: '/jobs',
  validateSearch: readJobsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { id, kind, ns, ...filter } }) => {
    prefetch(runningJobsQuery(), namespacesQuery(), ...(id === undefined ? [] : [jobQuery(id)]))
    prefetchPages(endedJobsQuery({ kind, namespace: ns, ...filterOf(filter) }))
  },
  component: lazyRouteComponent(() => import('./pages/jobs/JobsPage'), 'JobsPage'),
})
const backups = createRoute({
  ...under,
  path: '/backups',
  validateSearch: readBackupsSearch,
  loaderDeps: ({ search: { target } }) => ({ target }),
  loader: ({ deps: { target } }) => {
    prefetch(namespacesQuery(), backupSchedulesQuery(), runningJobsQuery())
    void prefetchIf('listBackups', backupsQuery(target))
    void prefetchIf('listBackupTargets', backupTargetsQuery())
  },
  component: lazyRouteComponent(() => import('./pages/backups/BackupsPage'), 'BackupsPage'),
})
const access = createRoute({
  ...under,
  path: '/access',
  loader: () => {
    prefetch(meQuery(), sessionsQuery())
    void prefetchIf('listTokens', tokensQuery())
    void prefetchIf('listUsers', usersQuery())
  },
  component: lazyRouteComponent(() => import('./pages/access/AccessPage'), 'AccessPage'),
})
const config = createRoute({
  ...under,
  path: '/config',
  validateSearch: readServerConfigSearch,
  loader: () => {
    void prefetchIf('getServerConfig', serverConfigQuery())
    void prefetchIf('listServerRevisions', serverRevisionsQuery())
  },
  component: lazyRouteComponent(() => import('./pages/config/ServerConfigPage'), 'ServerConfigPage'),
})
const audit = createRoute({
  ...under,
  path: '/audit',
  validateSearch: readAuditSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    prefetch(namespacesQuery())
    void prefetchPagesIf('listAudit', auditQuery(askedOf(deps)))
  },
  component: lazyRouteComponent(() => import('./pages/audit/AuditPage'), 'AuditPage'),
})
const capacity = createRoute({
  ...under,
  path: '/capacity',
  component: lazyRouteComponent(() => import('./pages/capacity/CapacityPage'), 'CapacityPage'),
})
const benchmarks = createRoute({
  ...under,
  path: '/benchmarks',
  validateSearch: readBenchmarksSearch,
  loaderDeps: ({ search: { state, since } }) => ({ state, since }),
  loader: ({ deps }) => prefetchPages(workloadsQuery(filterOf(deps))),
  component: lazyRouteComponent(() => import('./pages/benchmarks/BenchmarksPage'), 'BenchmarksPage'),
})
const compareRuns = createRoute({
  ...under,
  path: '/benchmarks/compare',
  validateSearch: readCompareSearch,
  loaderDeps: ({ search: { ids } }) => ({ ids }),
  loader: ({ deps: { ids } }) => canCompare(ids) && prefetch(comparisonQuery(ids)),
  component: lazyRouteComponent(() => import('./pages/benchmarks/ComparePage'), 'ComparePage'),
})
const benchmark = createRoute({
  ...under,
  path: '/benchmarks/$id',
  loader: ({ params: { id } }) => prefetch(workloadQuery(id)),
  component: lazyRouteComponent(() => import('./pages/benchmarks/RunPage'), 'RunPage'),
})
const lab = createRoute({
  ...under,
  path: '/lab',
  validateSearch: readLabSearch,
  loader: () => prefetch(labQuery(), labRunsQuery()),
  component: lazyRouteComponent(() => import('./pages/lab/LabPage'), 'LabPage'),
})
const api = createRoute({
  ...under,
  path: '/api',
  validateSearch: readApiSearch,
  loader: () => prefetch(openapiQuery()),
  component: lazyRouteComponent(() => import('./pages/api/ApiPage'), 'ApiPage'),
})

const about = createRoute({
  ...under,
  path: '/about',
  loader: () => prefetch(aboutQuery()),
  component: lazyRouteComponent(() => import('./pages/about/AboutPage'), 'AboutPage'),
})

const routeTree = root.addChildren([
  login,
  overview,
  live,
  alerts,
  namespaces,
  newNamespace,
  namespace.addChildren([...tabs]),
  records,
  query,
  importRoute,
  scans,
  streams,
  indexes,
  index,
  jobs,
  backups,
  slow,
  access,
  config,
  audit,
  capacity,
  benchmarks,
  compareRuns,
  benchmark,
  lab,
  api,
  about,
])

export const router = createRouter({
  routeTree,
  basepath: here('/'),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
