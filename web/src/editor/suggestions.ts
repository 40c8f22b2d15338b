import { aggregateOps } from '../records/request/aggregate'
import { filterOps } from '../records/request/filter'
import { metaFields } from '../records/request/source'
import { betweenKinds, endKinds } from '../records/request/steps'
import type { Guide } from './guide'

/** A place in JSON: the names that lead to it, `*` for an item of a list. */
export type JsonPath = readonly string[]

/** A name or a value that fits at a place. */
export interface Suggestion {
  /** as it is called */
  label: string
  /** as JSON text */
  text: string
  /** what it is, from the API */
  about?: string
}

/** The members that the API describes in words alone, by the name that they are in. */
const test = ['bin', 'path', 'op', 'value', 'any', 'all', 'meta', 'and', 'or', 'not', 'expr']
const column = ['bin', 'path', 'as', 'meta', 'expr']
const group = ['by', 'aggregate', 'top', 'order', 'desc']
const order = ['bin', 'path', 'meta', 'expr', 'desc']
const words: Readonly<Record<string, readonly string[]>> = {
  where: test,
  filter: test,
  and: test,
  or: test,
  not: test,
  order,
  sort: [...order, 'limit'],
  unnest: ['bin', 'path', 'as'],
  flatMap: ['bin', 'path', 'as'],
  select: column,
  map: column,
  by: column,
  group,
  groupBy: group,
  steps: [...betweenKinds, ...endKinds],
}
const figure = ['op', 'bin', 'path', 'meta', 'expr', 'width', 'from', 'buckets', 'min', 'max', 'bounds']
const figures = ['aggregate', 'reduce']

const values: Readonly<Record<string, readonly string[]>> = {
  meta: metaFields,
  any: ['items', 'keys', 'values'],
  all: ['items', 'keys', 'values'],
  useIndex: ['auto', 'never'],
}
const columns = ['select', 'map', 'by']

/** The names that an object at `path` may have. */
export function namesAt(document: unknown, guide: Guide, path: JsonPath): Suggestion[] {
  const place = placeOf(guide, path)
  if (place === undefined) return path.length === 0 ? guide.bins.map(quoted) : []
  const schema = schemaAt(document, guide, place)
  const known = schema && membersOf(schema)
  if (known !== undefined && known.length > 0)
    return known.map(([name, member]) => ({ ...quoted(name), ...aboutOf(resolved(document, member)) }))
  const [inside, outer] = named(place)
  if (outer !== undefined && figures.includes(outer)) return figure.map(quoted)
  return (words[inside ?? ''] ?? []).map(quoted)
}

/** The values that fit at `path`. */
export function valuesAt(document: unknown, guide: Guide, path: JsonPath): Suggestion[] {
  const place = placeOf(guide, path)
  if (place === undefined) return []
  const [inside = '', ...outer] = named(place)
  if (inside === 'bin' || (columns.includes(inside) && place.at(-1) === '*')) return guide.bins.map(quoted)
  if (inside === 'op') return (outer.some((name) => figures.includes(name)) ? aggregateOps : filterOps).map(quoted)
  const schema = schemaAt(document, guide, place)
  const known = (schema && choicesOf(schema)) ?? values[inside] ?? []
  if (inside === 'desc' || inside === 'distinct' || inside === 'count') return ['true', 'false'].map(plain)
  return known.map((value) => (typeof value === 'string' ? quoted(value) : plain(JSON.stringify(value))))
}

const quoted = (label: string): Suggestion => ({ label, text: JSON.stringify(label) })
const plain = (label: string): Suggestion => ({ label, text: label })

/** The path in the body of the operation; undefined for bins of a record. */
const placeOf = ({ body }: Guide, path: JsonPath): JsonPath | undefined =>
  body && [...(body.member === undefined ? [] : [body.member]), ...path]

/** The names of a path, innermost first. */
const named = (path: JsonPath): string[] => path.filter((name) => name !== '*').toReversed()

interface Schema {
  [name: string]: unknown
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
const member = (value: unknown, name: string): unknown => (isSchema(value) ? value[name] : undefined)

function schemaAt(document: unknown, { body }: Guide, path: JsonPath): Schema | undefined {
  const operations = Object.values(member(document, 'paths') ?? {}).flatMap((one) => Object.values(one as object))
  const operation: unknown = operations.find((one) => member(one, 'operationId') === body?.operation)
  const content = member(member(operation, 'requestBody'), 'content')
  let schema = resolved(document, member(member(content, 'application/json'), 'schema'))
  for (const name of path)
    schema = resolved(document, name === '*' ? schema?.['items'] : member(schema?.['properties'], name))
  return schema
}

/** What a schema refers to. */
function resolved(document: unknown, schema: unknown): Schema | undefined {
  const path = member(schema, '$ref')
  if (typeof path !== 'string') return isSchema(schema) ? schema : undefined
  return resolved(document, path.split('/').slice(1).reduce(member, document))
}

const membersOf = (schema: Schema): [string, unknown][] => Object.entries(schema['properties'] ?? {})

function choicesOf(schema: Schema): unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  if (schema['type'] === 'boolean') return [true, false]
  const forms = schema['anyOf']
  if (!Array.isArray(forms)) return undefined
  const all = forms.filter(isSchema).flatMap((form) => choicesOf(form) ?? [])
  return all.length === 0 ? undefined : all
}

/** Its description up to the first sentence. */
function aboutOf(schema: Schema | undefined): { about?: string } {
  const text = schema?.['description']
  return typeof text === 'string' ? { about: /^.+?[.:](?=\s|$)/.exec(text)?.[0] ?? text } : {}
}
