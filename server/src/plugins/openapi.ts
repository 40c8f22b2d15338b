// The OpenAPI document, made from the routes, and its page.
import swagger from '@fastify/swagger'
import type { TSchema } from 'typebox'
import type { App } from '../app-types.js'
import { Problem } from '../schemas/problem.js'

const tags = [
  { name: 'status', description: 'Health of the server' },
  { name: 'namespaces', description: 'Top containers of records' },
  { name: 'sets', description: 'Named groups of records, and their indexes' },
  { name: 'indexes', description: 'Document and range indexes' },
  { name: 'records', description: 'Records by key' },
  { name: 'query', description: 'Records by what they hold' },
  { name: 'scan', description: 'All records' },
  { name: 'load', description: 'Import and export' },
  { name: 'jobs', description: 'Long work' },
  { name: 'capacity', description: 'What a namespace would take' },
  { name: 'workloads', description: 'Runs of the load generator' },
  { name: 'lab', description: 'Published measurements, repeated' },
  { name: 'metrics', description: 'Latency and throughput, live and past' },
  { name: 'auth', description: 'Sessions of the console' },
  { name: 'v1', description: 'Data API compatible with the Aerospike REST Gateway' },
]

export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tessera',
        version: '1',
        description: 'A record store that you can watch',
        license: { name: 'Apache-2.0' },
      },
      tags,
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: ({ schema, url, route }) => {
      const { requestBody, public: open } = route.config ?? {}
      const content = Object.entries(requestBody ?? {}).map(([type, of]) => [type, { schema: of }])
      return {
        url,
        schema: {
          ...schema,
          ...(open === true && { security: [] }),
          ...(requestBody !== undefined && { body: { content: Object.fromEntries(content), required: true } }),
        },
      }
    },
  })
}

type Node = { [key: string]: unknown }

/** The finished document: named schemas are shared, and every operation can answer a problem. */
export function apiDocument(app: App): object {
  const document = structuredClone(app.swagger()) as unknown as Node & { components: Node; paths: Record<string, Node> }
  const shared: Record<string, unknown> = {}
  const problem = share(plain(Problem), shared)
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as { responses: Node }[]) {
      operation.responses['default'] = {
        description: 'a problem',
        content: { 'application/problem+json': { schema: problem } },
      }
    }
  }
  document.paths = share(document.paths, shared) as Record<string, Node>
  document.components['schemas'] = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  return document
}

const plain = (schema: TSchema): unknown => JSON.parse(JSON.stringify(schema))

/** Moves schemas with a title such as `Namespace` to components, and refers to them. */
function share(node: unknown, shared: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => share(item, shared))
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'examples' || key === 'example' ? value : share(value, shared),
    ]),
  )
  const { title } = copy
  if (typeof title !== 'string' || !/^[A-Z][A-Za-z]+$/.test(title) || !('type' in copy || 'allOf' in copy)) return copy
  const known = shared[title]
  if (known !== undefined && essence(known) !== essence(copy)) throw new Error(`two schemas are called ${title}`)
  if (known === undefined || 'examples' in copy) shared[title] = copy
  return { $ref: `#/components/schemas/${title}` }
}

/** What makes a schema the same as another: @fastify/swagger moves the examples of bodies elsewhere. */
const essence = (schema: unknown): string => JSON.stringify({ ...(schema as object), examples: undefined })
