// The OpenAPI document, made from the routes, and its page.
import swagger from '@fastify/swagger'
import type { TSchema } from 'typebox'
import type { App } from '../app-types.js'
import type { Needs } from '../auth/permissions.js'
import { SCOPES } from '../auth/scopes.js'
import type { BodyRule } from '../bodies/rule.js'
import { MERGE_PATCH } from '../requests/merge-patch.js'
import { CompatibleError } from '../schemas/v1.js'
import { Problem } from '../schemas/problem.js'
import { type Content, completeAnswers, sharedAnswers } from './answers.js'
import { callerSchemes, compatibleSecurity, securitySchemes, usualSecurity } from './security.js'

const tags = [
  { name: 'status', description: 'Version, machine and health of the server.' },
  { name: 'namespaces', description: 'Namespaces: create, configure, inspect and drop them.' },
  { name: 'backups', description: 'Back namespaces up, verify backups and restore them.' },
  { name: 'sets', description: 'Sets: named groups of records inside a namespace, with an optional index.' },
  { name: 'indexes', description: 'Document and range indexes, which speed up queries.' },
  { name: 'records', description: 'Read and write records by key, one at a time or in batches.' },
  { name: 'query', description: 'Find, aggregate and transform records by their content.' },
  { name: 'scan', description: 'Read all records of a namespace or set in parallel.' },
  { name: 'load', description: 'Import and export records as CSV or NDJSON.' },
  { name: 'jobs', description: 'Long-running work: start, watch, throttle, pause and abort it.' },
  { name: 'capacity', description: 'Estimate memory, flash and device load before you create a namespace.' },
  { name: 'workloads', description: 'Run the load generator and compare its runs.' },
  { name: 'lab', description: 'Repeat published measurements on this machine.' },
  { name: 'metrics', description: 'Latency, throughput, memory and device traffic, live and past.' },
  { name: 'alerts', description: 'Rules on metrics and latency targets, their alerts, and notices to a webhook.' },
  { name: 'auth', description: 'Sign in to the console and out of it; tokens for programs.' },
  { name: 'configuration', description: 'Settings of the server: what holds, changes and revisions.' },
  { name: 'audit', description: 'Who did what: entries, export, and proof that the log is what was written.' },
  { name: 'ycsb', description: "Records for the REST binding of YCSB's own client." },
  { name: 'v1', description: 'Data API compatible with the Aerospike REST Gateway, in JSON and MessagePack.' },
]

export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tessera',
        version: '1',
        description:
          'A record store that you can watch. Send the administrator token, or an API token, as ' +
          '`Authorization: Bearer <token>`. Each operation names the role that it needs, and where, ' +
          'for programs as `x-required-role` and `x-required-scope`. A read-only server refuses those with `x-changes`. ' +
          'Failures under `/api/v1` are `application/problem+json`; branch on `code`, which is stable. ' +
          'Numbers in a query string are decimal: `5`, `-1`, `0.5`, and not `05`, `+5`, `5.0` for an integer, `1e3` or `0x10`.',
        license: { name: 'Apache-2.0' },
      },
      tags,
      servers: [
        {
          url: app.config.basePath === '' ? '/' : app.config.basePath,
          description: 'The server that this document comes from.',
        },
        {
          url: '{scheme}://{host}:{port}',
          description: 'Another one.',
          variables: {
            scheme: { default: 'http', enum: ['http', 'https'] },
            host: { default: '127.0.0.1' },
            port: { default: '7373' },
          },
        },
      ],
      components: { securitySchemes: { ...callerSchemes } },
      security: usualSecurity,
    },
    transform: ({ schema, url, route }) => {
      const { requestBody, documents, public: open, needs, packed, changes, body } = route.config ?? {}
      const { description, body: fields } = (schema ?? {}) as { description?: string; body?: unknown }
      const content = Object.entries(requestBody ?? {}).map(([type, of]) => [type, { schema: of }])
      return {
        url,
        schema: {
          ...schema,
          ...documents,
          ...(isCompatible(url) && { security: compatibleSecurity }),
          ...(open === true && { security: [] }),
          ...(needs !== undefined && {
            description: `${description ?? ''} ${needWords(needs)}`,
            'x-required-role': needs.role,
            'x-required-scope': needs.scope,
          }),
          ...(changes === true && { 'x-changes': true }),
          ...(packed === true && { 'x-packed': true }),
          ...(mayLack(body) && !isCompatible(url) && fields !== undefined && { 'x-optional-body': true }),
          ...(requestBody !== undefined && { body: { content: Object.fromEntries(content), required: true } }),
        },
      }
    },
  })
}

const mayLack = (body: BodyRule | 'stream' | undefined): boolean => typeof body === 'object' && !body.required

const isCompatible = (url: string): boolean => /^\/v[12]\//.test(url)

const needWords = ({ role, scope }: Needs): string => `Needs the role \`${role}\` for ${SCOPES[scope].words}.`

type Node = { [key: string]: unknown }

interface Media {
  schema: unknown
  example?: unknown
  examples?: object
}

interface Part {
  description?: string
  content?: Record<string, Media>
}

interface Operation {
  parameters?: { name: string }[]
  requestBody?: Part & { required?: boolean }
  security?: unknown[]
  responses: Record<string, Part>
  /** Until the document is whole: JSON answers come in MessagePack too. */
  'x-packed'?: boolean
  /** Until then, too: the body may be left out. */
  'x-optional-body'?: boolean
}

const [JSON_TYPE, PACKED_TYPE] = ['application/json', 'application/msgpack']

/** Adds MessagePack to every JSON body. */
const inBothForms = (content: Record<string, Media>): Record<string, Media> => {
  const { [JSON_TYPE]: media } = content
  return media === undefined ? content : { ...content, [PACKED_TYPE]: media }
}

/** Description of an answer whose schema has none. */
const meanings: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted. The work goes on after the answer.',
  204: 'Done. The answer has no body.',
  304: '`If-None-Match` names the current state. The answer has no body.',
}

/** The complete document: named schemas are shared, and every operation has an error answer. */
export function apiDocument(app: App): object {
  const document = structuredClone(app.swagger()) as unknown as Node & { components: Node; paths: Record<string, Node> }
  const shared: Record<string, unknown> = {}
  const problem = { 'application/problem+json': { schema: share(plain(Problem), shared) } }
  const error = inBothForms({ [JSON_TYPE]: { schema: share(plain(CompatibleError), shared) } })
  for (const [url, path] of Object.entries(document.paths)) {
    const compatible = isCompatible(url)
    for (const [method, operation] of Object.entries(path) as [string, Operation][]) {
      if (method === 'get' && operation.parameters?.some(({ name }) => name === 'if-none-match') === true)
        operation.responses['304'] = { description: 'Default Response' }
      if (compatible) {
        for (const part of [operation.requestBody, ...Object.values(operation.responses)])
          if (part?.content !== undefined) part.content = inBothForms(part.content)
      }
      if (operation['x-packed'] === true)
        for (const part of Object.values(operation.responses))
          if (part.content !== undefined) part.content = inBothForms(part.content)
      delete operation['x-packed']
      if (operation['x-optional-body'] === true && operation.requestBody !== undefined)
        operation.requestBody.required = false
      delete operation['x-optional-body']
      if (method === 'patch' && !compatible && operation.requestBody?.content?.[JSON_TYPE] !== undefined)
        operation.requestBody.content[MERGE_PATCH] = operation.requestBody.content[JSON_TYPE]
      for (const [status, part] of Object.entries(operation.responses)) {
        if (part.description === 'Default Response') part.description = meanings[status] ?? 'Done.'
        // A status of its own may also have another cause.
        if (Number(status) >= 400 && !compatible) part.content = { ...part.content, ...problem }
      }
      operation.responses['default'] = compatible
        ? { description: 'The request failed.', content: error }
        : { description: 'The request failed. `code` says why.', content: problem }
      for (const part of [operation.requestBody, ...Object.values(operation.responses)]) showExamples(part)
      completeAnswers(url, method, operation, compatible)
    }
  }
  Object.assign(document.components, { securitySchemes, ...sharedAnswers(problem as Content, error as Content) })
  document.paths = share(document.paths, shared) as Record<string, Node>
  document.components['examples'] = shareExamples(document.paths, shared)
  document.components['schemas'] = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  return document
}

/** Where tools look for an example: beside the schema. */
function showExamples(part: Part | undefined): void {
  for (const media of Object.values(part?.content ?? {})) {
    const { examples, ...schema } = media.schema as { title?: string; examples?: unknown[] }
    // Those of named schemas are shared.
    if (examples === undefined || schema.title !== undefined || media.example !== undefined) continue
    media.example = examples[0]
    media.schema = schema
  }
}

const plain = (schema: TSchema): unknown => JSON.parse(JSON.stringify(schema))

/** Moves schemas with a title such as `Namespace` to components and replaces them by references. */
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

/** Makes answers refer to the example of their schema, so that each appears once. Returns the examples by name. */
function shareExamples(paths: Record<string, Node>, shared: Record<string, unknown>): Record<string, unknown> {
  const examples: Record<string, { value: unknown }> = {}
  for (const operation of Object.values(paths).flatMap(Object.values) as Operation[]) {
    for (const media of Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content))) {
      const title = (media.schema as { $ref?: string }).$ref?.split('/').at(-1)
      if (title === undefined) continue
      const value = media.example ?? (shared[title] as { examples?: unknown[] }).examples?.[0]
      if (value === undefined) continue
      examples[title] ??= { value }
      delete media.example
      media.examples = { [title]: { $ref: `#/components/examples/${title}` } }
    }
  }
  return Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Compares schemas without examples, because @fastify/swagger moves the examples of bodies. */
const essence = (schema: unknown): string => JSON.stringify({ ...(schema as object), examples: undefined })
