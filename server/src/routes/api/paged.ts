// The pages of a paged namespace.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { PageMap, PageMapQuery, PageSizes, PagesReport } from '../../schemas/paged.js'
import { Name } from '../../schemas/words.js'

const CELLS = 1024

const tags = ['namespaces']
const params = Type.Object({ ns: Name })
const others = 'A namespace of another engine answers `unsupported`.'

export function pagedRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/pages',
    {
      schema: {
        operationId: 'getPages',
        tags,
        summary: 'Pages of a paged namespace: cache by kind of page, log, checkpoints, amplification',
        description: others,
        params,
        response: { 200: PagesReport },
      },
    },
    (request) => request.engine.pagesReport(request.params.ns),
  )

  app.get(
    '/namespaces/:ns/pages/map',
    {
      schema: {
        operationId: 'getPageMap',
        tags,
        summary: 'Map of the pages: fill, kind, heat and age by cells of neighbours',
        description: `Costs a look at every page's entry in memory, and no read of the disk. ${others}`,
        params,
        querystring: PageMapQuery,
        response: { 200: PageMap },
      },
    },
    (request) => request.engine.pageMap(request.params.ns, request.query.cells ?? CELLS),
  )

  app.get(
    '/namespaces/:ns/pages/what-if',
    {
      schema: {
        operationId: 'getPageSizes',
        tags,
        summary: 'What pages of other sizes would cost the reads there were',
        description: `From a sample of the newest reads of bodies, by a simulation of the cache; scans, and pages of the index, are not in it. ${others}`,
        params,
        response: { 200: PageSizes },
      },
    },
    (request) => request.engine.pageSizes(request.params.ns),
  )
}
