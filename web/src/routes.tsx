import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readBenchmarksSearch, readCompareSearch } from './pages/benchmarks/search'
import { readImportSearch } from './pages/import/search'
import { readIndexesSearch } from './pages/indexes/search'
import { readJobsSearch } from './pages/jobs/search'
import { readLabSearch } from './pages/lab/search'
import { readLiveSearch } from './pages/live/search'
import { readSegmentsSearch } from './pages/namespaces/segments/search'
import { NotFound } from './pages/NotFound'
import { readQuerySearch } from './pages/query/search'
import { readRecordsSearch } from './pages/records/search'
import { readScansSearch } from './pages/scans/search'
import { readStreamsSearch } from './pages/streams/search'
import { Loading } from './shell/Loading'
import { RouteError } from './shell/RouteError'
import { Root } from './shell/Root'

const root = createRootRoute({ component: Root, notFoundComponent: NotFound })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (raw: Record<string, unknown>): { next?: string } =>
    typeof raw['next'] === 'string' && /^\/(?!\/)/.test(raw['next']) ? { next: raw['next'] } : {},
  component: lazyRouteComponent(() => import('./pages/login/LoginPage'), 'LoginPage'),
})

const under = { getParentRoute: () => root } as const

const overview = createRoute({
  ...under,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage'), 'OverviewPage'),
})
const live = createRoute({
  ...under,
  path: '/live',
  validateSearch: readLiveSearch,
  component: lazyRouteComponent(() => import('./pages/live/LivePage'), 'LivePage'),
})
const namespaces = createRoute({
  ...under,
  path: '/namespaces',
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
  component: lazyRouteComponent(() => import('./pages/namespaces/detail/NamespaceLayout'), 'NamespaceLayout'),
})
const inNamespace = { getParentRoute: () => namespace } as const
const tabs = [
  createRoute({
    ...inNamespace,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/OverviewTab'), 'OverviewTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/sets',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/SetsTab'), 'SetsTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/indexes',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/IndexesTab'), 'IndexesTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/device',
    component: lazyRouteComponent(() => import('./pages/namespaces/device/DeviceTab'), 'DeviceTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/storage',
    component: lazyRouteComponent(() => import('./pages/namespaces/storage/StorageTab'), 'StorageTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/segments',
    validateSearch: readSegmentsSearch,
    component: lazyRouteComponent(() => import('./pages/namespaces/segments/SegmentsTab'), 'SegmentsTab'),
  }),
  createRoute({
    ...inNamespace,
    path: '/config',
    component: lazyRouteComponent(() => import('./pages/namespaces/detail/ConfigTab'), 'ConfigTab'),
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
  component: lazyRouteComponent(() => import('./pages/records/RecordsPage'), 'RecordsPage'),
})
const query = createRoute({
  ...under,
  path: '/query',
  validateSearch: readQuerySearch,
  component: lazyRouteComponent(() => import('./pages/query/QueryPage'), 'QueryPage'),
})
const importRoute = createRoute({
  ...under,
  path: '/import',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() => import('./pages/import/ImportPage'), 'ImportPage'),
})
const scans = createRoute({
  ...under,
  path: '/scans',
  validateSearch: readScansSearch,
  component: lazyRouteComponent(() => import('./pages/scans/ScansPage'), 'ScansPage'),
})
const streams = createRoute({
  ...under,
  path: '/streams',
  validateSearch: readStreamsSearch,
  component: lazyRouteComponent(() => import('./pages/streams/StreamsPage'), 'StreamsPage'),
})
const indexes = createRoute({
  ...under,
  path: '/indexes',
  validateSearch: readIndexesSearch,
  component: lazyRouteComponent(() => import('./pages/indexes/IndexesPage'), 'IndexesPage'),
})
const index = createRoute({
  ...under,
  path: '/indexes/$ns/$name',
  component: lazyRouteComponent(() => import('./pages/indexes/IndexPage'), 'IndexPage'),
})
const jobs = createRoute({
  ...under,
  path: '/jobs',
  validateSearch: readJobsSearch,
  component: lazyRouteComponent(() => import('./pages/jobs/JobsPage'), 'JobsPage'),
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
  component: lazyRouteComponent(() => import('./pages/benchmarks/BenchmarksPage'), 'BenchmarksPage'),
})
const compareRuns = createRoute({
  ...under,
  path: '/benchmarks/compare',
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import('./pages/benchmarks/ComparePage'), 'ComparePage'),
})
const benchmark = createRoute({
  ...under,
  path: '/benchmarks/$id',
  component: lazyRouteComponent(() => import('./pages/benchmarks/RunPage'), 'RunPage'),
})
const lab = createRoute({
  ...under,
  path: '/lab',
  validateSearch: readLabSearch,
  component: lazyRouteComponent(() => import('./pages/lab/LabPage'), 'LabPage'),
})
const api = createRoute({
  ...under,
  path: '/api',
  component: lazyRouteComponent(() => import('./pages/api/ApiPage'), 'ApiPage'),
})

const routeTree = root.addChildren([
  login,
  overview,
  live,
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
  capacity,
  benchmarks,
  compareRuns,
  benchmark,
  lab,
  api,
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
