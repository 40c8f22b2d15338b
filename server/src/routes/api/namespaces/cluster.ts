// The clusters that namespaces may use, and that of a namespace.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { ClusterView, KnownClusters } from '../../../schemas/namespaces/cluster.js'
import { NamespaceName } from '../../../schemas/words.js'

export function clusterViewRoutes(app: App): void {
  app.get(
    '/clusters',
    {
      schema: {
        operationId: 'listClusters',
        tags: ['namespaces'],
        summary: 'List the clusters that namespaces may use',
        description:
          'Answers the clusters in the file that `TESSERA_CLUSTERS` names, without users and passwords. It reads the ' +
          'file anew and connects to none of them. If the file or a cluster is not described as it must be, `problem` ' +
          'says why.',
        response: { 200: KnownClusters },
      },
    },
    (request) => request.engine.clusters(),
  )

  app.get(
    '/namespaces/:ns/cluster',
    {
      schema: {
        operationId: 'getNamespaceCluster',
        tags: ['namespaces'],
        summary: 'Inspect the cluster of a namespace',
        description:
          'Asks each node how it is: state, load, missed writes, latency. Answers which node has which range of ' +
          'tokens too. A node that does not answer within the timeout of a request has an `error`. Engines other than ' +
          '`cassandra` answer `unsupported`.',
        params: Type.Object({ ns: NamespaceName }),
        response: { 200: ClusterView },
      },
    },
    (request) => request.engine.clusterView(request.params.ns),
  )
}
