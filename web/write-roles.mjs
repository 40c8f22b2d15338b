// Writes src/api/roles.gen.ts from the OpenAPI document: the roles in their order, what each operation of `/api/v1`
// needs, and whether it changes something. Used by `npm run gen`.
import { readFileSync, writeFileSync } from 'node:fs'

const { paths, components } = JSON.parse(readFileSync(new URL('../server/openapi.json', import.meta.url), 'utf8'))
const needed = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/v1/'))
  .flatMap(([, operations]) => Object.values(operations))
  .filter(({ 'x-required-role': role }) => role !== undefined)
  .map(({ operationId, 'x-required-role': role, 'x-required-scope': scope, 'x-changes': changes = false }) => [
    operationId,
    { role, scope, changes },
  ])
  .sort(([a], [b]) => (a < b ? -1 : 1))
const literal = (value) => JSON.stringify(value, null, 2)
writeFileSync(
  new URL('src/api/roles.gen.ts', import.meta.url),
  `// Written by npm run gen.
/** Each role may do all that those before it may. */
export const roles = ${literal(components.schemas.Grant.properties.role.enum)} as const
/** The role that each operation needs, and where; and whether a read-only server refuses it. */
export const needs = ${literal(Object.fromEntries(needed))} as const
`,
)
