// The OpenAPI document, made from the routes, and its page.
import swagger from '@fastify/swagger'
import type { TSchema } from 'typebox'
import type { App } from '../app-types.js'
import { CompatibleError } from '../schemas/compatible.js'
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
  { name: 'ycsb', description: "Records for the REST binding of YCSB's client" },
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

interface Part {
  description?: string
  content?: Node
}

interface Operation {
  requestBody?: Part
  responses: Record<string, Part>
}

const [JSON_TYPE, PACKED_TYPE] = ['application/json', 'application/msgpack']

/** What is said in JSON is said in MessagePack too. */
const inBothForms = (content: Node): Node =>
  JSON_TYPE in content ? { ...content, [PACKED_TYPE]: content[JSON_TYPE] } : content

/** The finished document: named schemas are shared, and every operation can answer a problem, or the error of the compatible API. */
export function apiDocument(app: App): object {
  const document = structuredClone(app.swagger()) as unknown as Node & { components: Node; paths: Record<string, Node> }
  const shared: Record<string, unknown> = {}
  const problem = { 'application/problem+json': { schema: share(plain(Problem), shared) } }
  const error = inBothForms({ [JSON_TYPE]: { schema: share(plain(CompatibleError), shared) } })
  for (const [url, path] of Object.entries(document.paths)) {
    const compatible = /^\/v[12]\//.test(url)
    for (const operation of Object.values(path) as Operation[]) {
      if (compatible) {
        for (const part of [operation.requestBody, ...Object.values(operation.responses)])
          if (part?.content !== undefined) part.content = inBothForms(part.content)
      }
      operation.responses['default'] = compatible
        ? { description: 'an error', content: error }
        : { description: 'a problem', content: problem }
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
