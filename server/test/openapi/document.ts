// The OpenAPI document, made from the routes, and a walk through its schemas.
import { createApp, declareApi } from '../../src/app.js'
import { readConfig } from '../../src/config.js'
import { apiDocument } from '../../src/openapi/document.js'

export interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  unevaluatedProperties?: boolean
  patternProperties?: Record<string, Schema>
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  examples?: unknown[]
}

export interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, { $ref?: string; value?: unknown }>
}

export interface Parameter {
  name: string
  in: string
  schema: Schema
  description?: string
  example?: unknown
}

type Refs = Record<string, { $ref: string }>

export interface Operation {
  responses: Record<string, { $ref?: string; description: string; content?: Record<string, Media>; headers?: Refs }>
  security?: object[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  parameters?: Parameter[]
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  'x-required-role'?: string
  'x-changes'?: boolean
}

export interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  servers: { url: string }[]
  security: object[]
  components: {
    schemas: Record<string, Schema>
    examples: Record<string, { value: unknown }>
    headers: Record<string, { description: string; example: string }>
    responses: Record<string, { description: string; content: Record<string, Media>; headers: Refs }>
    securitySchemes: Record<string, { type: string; description: string }>
  }
}

let made: Promise<Document> | undefined

/** The same for all files that share this module: nobody changes it. */
export const makeDocument = (): Promise<Document> => (made ??= newDocument())

async function newDocument(): Promise<Document> {
  const app = createApp(readConfig([], { TESSERA_LOG_LEVEL: 'silent' }))
  await declareApi(app)
  await app.ready()
  const document = apiDocument(app) as Document
  await app.close()
  return document
}

export const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

export const operationsOf = ({ paths }: Document): Operation[] => Object.values(paths).flatMap(Object.values)

/** The schemas right inside a schema, each with what it is called there. */
const inside = (schema: Schema): [string, Schema][] => [
  ...Object.entries(schema.properties ?? {}).map(([name, one]): [string, Schema] => [`.${name}`, one]),
  ...(schema.items === undefined ? [] : [['[]', schema.items] satisfies [string, Schema]]),
  ...[...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map((one): [string, Schema] => ['|', one]),
]

/** Calls `visit` with a schema, all schemas in it, and their paths. */
export function walk(path: string, schema: Schema, visit: (path: string, schema: Schema) => void): void {
  visit(path, schema)
  for (const [step, one] of inside(schema)) walk(path + step, one, visit)
}

/** A schema without references, that takes no property it does not name. */
export function closed(schema: Schema, { schemas }: Pick<Document['components'], 'schemas'>, open = false): Schema {
  const again = (one: Schema) => closed(one, { schemas })
  const loose = (one: Schema) => closed(one, { schemas }, true)
  if (schema.$ref !== undefined) return closed(schemas[nameOf(schema.$ref)] as Schema, { schemas }, open)
  const { properties, additionalProperties, patternProperties, items, allOf, anyOf, ...rest } = schema
  const each = (of: Record<string, Schema>) => Object.fromEntries(Object.entries(of).map(([k, v]) => [k, again(v)]))
  return {
    ...rest,
    ...(properties !== undefined && { properties: each(properties) }),
    ...(patternProperties !== undefined && { patternProperties: each(patternProperties) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? again(additionalProperties) : additionalProperties,
    }),
    ...(items !== undefined && { items: again(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(open ? loose : again) }),
    ...(allOf !== undefined && { allOf: allOf.map(loose), ...(!open && { unevaluatedProperties: false }) }),
    ...(properties !== undefined && additionalProperties === undefined && !open && { additionalProperties: false }),
  }
}
