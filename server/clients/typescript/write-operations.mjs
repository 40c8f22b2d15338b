// Writes src/operations.gen.ts from the OpenAPI document: one constant for each operation, so that a bundler keeps only
// those that a program uses.
import { readFileSync, writeFileSync } from 'node:fs'

const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))

/** Tags of operations that send a search as a body and change nothing. */
const SEARCHES = ['query', 'scan', 'capacity', 'records']

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [operation.operationId, literal(path, method, operation)]),
)

/** @param {string} path @param {string} method @param {any} operation */
function literal(path, method, { operationId, summary, parameters = [], responses, tags, ...operation }) {
  const types = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.keys(content) : [],
  )
  const isKeyed = parameters.some((/** @type {any} */ { name }) => name === 'idempotency-key')
  const searches = method === 'post' && operation['x-required-role'] === 'reader' && SEARCHES.includes(tags[0])
  const repeats =
    method === 'get' || searches ? 'always' : isKeyed ? 'with key' : /put|delete/.test(method) ? 'plain' : 'refused'
  const [body] = Object.keys(operation.requestBody?.content ?? {})
  const parts = {
    id: operationId,
    method: method.toUpperCase(),
    path,
    repeats,
    ...(types.length > 0 && !types.includes('application/json') && { accept: types.join(', ') }),
    ...(body !== undefined && body !== 'application/json' && { type: body }),
  }
  return `/** ${summary}. */\nexport const ${operationId}: Operation<'${operationId}'> = ${JSON.stringify(parts)}\n`
}

writeFileSync(
  new URL('src/operations.gen.ts', import.meta.url),
  `// Written by npm run gen.
import type { Operation } from './operation.js'

${operations
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, text]) => text)
  .join('\n')}`,
)
