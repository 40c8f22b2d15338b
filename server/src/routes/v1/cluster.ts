// /v1/cluster: one node, its namespaces and sets.
import { type Static, Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { nodeName } from './node.js'
import { listed } from './open.js'

const Cluster = Type.Object(
  {
    nodes: Type.Array(Type.Object({ name: Type.String() })),
    namespaces: Type.Array(
      Type.Object({
        name: Type.String(),
        sets: Type.Array(Type.Object({ name: Type.String(), objectCount: Type.Integer() })),
      }),
    ),
  },
  { title: 'Cluster' },
)

export function clusterRoutes(app: App): void {
  app.get(
    '/cluster',
    {
      schema: {
        operationId: 'getCluster',
        tags: ['v1'],
        summary: 'Nodes, namespaces and sets',
        response: { 200: Cluster },
      },
    },
    (request) => clusterOf(request.engine),
  )
}

async function clusterOf(engine: Engine): Promise<Static<typeof Cluster>> {
  const namespaces = (await engine.namespaces()).map(async (namespace) => ({
    name: namespace.name,
    sets: (await listed(namespace, (name) => engine.sets(name)))
      .filter((set) => set.name !== '')
      .map((set) => ({ name: set.name, objectCount: set.records })),
  }))
  return { nodes: [{ name: nodeName }], namespaces: await Promise.all(namespaces) }
}
