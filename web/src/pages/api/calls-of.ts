/** One operation of the OpenAPI document. */
export interface ApiCall {
  method: string
  path: string
  summary: string
  tag: string
  example: string | undefined
}

type Json = { [name: string]: unknown }

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** The operations of an OpenAPI document, by tag in its order. */
export function callsOf(document: unknown): ApiCall[] {
  const paths = isObject(document) && isObject(document['paths']) ? document['paths'] : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined
      if (!isObject(operation)) return []
      const { summary, tags } = operation
      return [
        {
          method: method.toUpperCase(),
          path,
          summary: typeof summary === 'string' ? summary : '',
          tag: Array.isArray(tags) && typeof tags[0] === 'string' ? tags[0] : 'other',
          example: exampleOf(operation, document),
        },
      ]
    }),
  )
}

/** The first example of a JSON request body, following one reference. */
function exampleOf(operation: Json, document: unknown): string | undefined {
  const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema')
  const reference =
    isObject(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').slice(1) : undefined
  const target = reference === undefined ? schema : at(document, ...reference)
  const examples = isObject(target) ? target['examples'] : undefined
  return Array.isArray(examples) && examples.length > 0 ? JSON.stringify(examples[0]) : undefined
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}
