// /v1/cluster: one node, its namespaces and sets.
import { type Static, Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { text } from '../../schemas/quantities.js'
import { nodeName } from './wire/node.js'
import { listed } from '../../answers/listed.js'

const Cluster = Type.Object(
  {
    nodes: Type.Array(Type.Object({ name: text('Name of the node.') }), { description: 'The nodes; there is one.' }),
    namespaces: Type.Array(
      Type.Object({
        name: text('Name of the namespace.'),
        sets: Type.Array(
          Type.Object({
            name: text('Name of the set.'),
            objectCount: Type.Integer({ description: 'Records in the set.' }),
          }),
          { description: 'Its sets.' },
        ),
      }),
      { description: 'The namespaces.' },
    ),
  },
  {
    title: 'Cluster',
    description: 'The cluster.',
    examples: [
      {
        nodes: [{ name: 'BB95BCE98F73F3E' }],
        namespaces: [{ name: 'shop', sets: [{ name: 'events', objectCount: 2000 }] }],
      },
    ],
  },
)

export function clusterRoutes(app: App): void {
  app.get(
    '/cluster',
    {
      schema: {
        operationId: 'getCluster',
        tags: ['v1'],
        summary: 'Show the cluster',
        description: 'Answers the node, its namespaces, and their sets with record counts. There is always one node.',
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
