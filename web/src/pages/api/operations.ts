/** A value that a call takes in its path, its query or its headers. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Json
  example: string | undefined
}

/** A form that the body of a request may have. */
export interface Body {
  type: string
  schema: unknown
  /** JSON text, or lines */
  example: string
}

/** An answer: its status, or `default` for all failures without one. */
export interface Answer {
  status: string
  description: string
  type: string | undefined
  schema: unknown
}

/** One operation of the OpenAPI document. */
export interface ApiOperation {
  id: string
  method: string
  path: string
  summary: string
  description: string
  tag: string
  /** those that it needs come first */
  parameters: readonly Parameter[]
  bodies: readonly Body[]
  answers: readonly Answer[]
}

export type Json = { [name: string]: unknown }

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

/** The operations of an OpenAPI document, in the order of its tags. */
export function operationsOf(document: unknown): ApiOperation[] {
  const tags = listOf(at(document, 'tags')).map((tag) => at(tag, 'name'))
  const place = ({ tag }: ApiOperation): number => (tags.includes(tag) ? tags.indexOf(tag) : tags.length)
  return readOperations(document).toSorted((one, other) => place(one) - place(other))
}

function readOperations(document: unknown): ApiOperation[] {
  return entriesOf(at(document, 'paths')).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = at(item, method)
      return isObject(operation) ? [operationOf(document, method, path, operation)] : []
    }),
  )
}

function operationOf(document: unknown, method: string, path: string, operation: Json): ApiOperation {
  return {
    id: textOf(operation['operationId']) || `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    summary: textOf(operation['summary']),
    description: textOf(operation['description']),
    tag: textOf(listOf(operation['tags'])[0]) || 'other',
    parameters: listOf(operation['parameters'])
      .flatMap((parameter) => parameterOf(resolve(document, parameter)))
      .toSorted((one, other) => Number(other.required) - Number(one.required)),
    bodies: entriesOf(at(operation, 'requestBody', 'content')).map(([type, media]) => bodyOf(document, type, media)),
    answers: entriesOf(operation['responses']).flatMap(([status, answer]) => answersOf(document, status, answer)),
  }
}

const places = ['path', 'query', 'header'] as const

function parameterOf(parameter: unknown): Parameter[] {
  const place = places.find((known) => known === at(parameter, 'in'))
  if (!isObject(parameter) || place === undefined) return []
  const { schema, example } = parameter
  return [
    {
      name: textOf(parameter['name']),
      in: place,
      required: parameter['required'] === true,
      description: textOf(parameter['description']),
      schema: isObject(schema) ? schema : {},
      example: example === undefined ? undefined : String(example),
    },
  ]
}

function bodyOf(document: unknown, type: string, media: unknown): Body {
  const schema = at(media, 'schema')
  return { type, schema, example: exampleText(exampleOf(document, media, schema)) }
}

const exampleText = (example: unknown): string =>
  example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)

/** The first example of a body: its own, that of its list, or that of its schema. */
function exampleOf(document: unknown, media: unknown, schema: unknown): unknown {
  const [first] = Object.values((at(media, 'examples') as Json | undefined) ?? {})
  return (
    at(media, 'example') ??
    at(resolve(document, first), 'value') ??
    listOf(at(resolve(document, schema), 'examples'))[0]
  )
}

function answersOf(document: unknown, status: string, given: unknown): Answer[] {
  const answer = resolve(document, given)
  const description = textOf(at(answer, 'description'))
  const [first, ...others] = entriesOf(at(answer, 'content'))
  if (first === undefined) return [{ status, description, type: undefined, schema: undefined }]
  // The forms of one answer tell the same.
  const type = [first, ...others].map(([name]) => name).join(', ')
  return [{ status, description, type, schema: at(first[1], 'schema') }]
}

/** What a reference points to; what is none, itself. */
export function resolve(document: unknown, node: unknown): unknown {
  const reference = at(node, '$ref')
  return typeof reference === 'string' ? at(document, ...reference.split('/').slice(1)) : node
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}

/** Operations whose name, path or words have all words of a search. */
export function findOperations(operations: readonly ApiOperation[], search: string): ApiOperation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, method, path, summary, tag }) => {
    const text = `${id} ${method} ${path} ${summary} ${tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
