// The pages of a paged namespace.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { PageMap, PageMapQuery, PageSizes, PagesReport } from '../../../schemas/namespaces/paged.js'
import { NamespaceName } from '../../../schemas/words.js'

const CELLS = 1024

const tags = ['namespaces']
const params = Type.Object({ ns: NamespaceName })

export function pagedRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/pages',
    {
      schema: {
        operationId: 'getPages',
        tags,
        summary: 'Inspect the pages of a namespace',
        description:
          'Answers cache, write-ahead log, checkpoints and amplification of a paged namespace. Other engines ' +
          'answer `unsupported`.',
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
        summary: 'Map the pages of a namespace',
        description:
          'Answers fill, kind, heat and age of the pages, in cells of neighbouring pages. It looks at every ' +
          "page's entry in memory and reads nothing from the disk. Engines other than `paged` answer " +
          '`unsupported`.',
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
        summary: 'Estimate other page sizes',
        description:
          'Answers what reads would cost with other page sizes. It simulates the cache for a sample of the ' +
          'newest reads of bodies; scans and index pages are not in it. Engines other than `paged` answer ' +
          '`unsupported`.',
        params,
        response: { 200: PageSizes },
      },
    },
    (request) => request.engine.pageSizes(request.params.ns),
  )
}
