// Enforces schemas as written: unknown fields are refused and nothing is dropped. Only query strings, paths and headers, which
// are text, are converted to other types.
import { Ajv, type Options } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../app-types.js'

// Verbose: a failure has the value and the schema, for its message.
const common: Options = { removeAdditional: false, useDefaults: false, allErrors: false, strict: false, verbose: true }

export function validateStrictly(app: App): void {
  const body = withFormats(new Ajv({ ...common, coerceTypes: false }))
  const text = withFormats(new Ajv({ ...common, coerceTypes: 'array' }))
  const compile: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
    (httpPart === 'body' ? body : text).compile(schema)
  app.setValidatorCompiler(compile)
}

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false })

/**
 * In this scope, a route without declared query parameters refuses all: an ignored `dryRun=true`
 * would do real harm.
 */
export function refuseUnknownParameters(scope: App): void {
  scope.addHook('onRoute', (route) => {
    route.schema = { querystring: NO_PARAMETERS, ...route.schema }
  })
}

// ajv-formats is CommonJS whose default export is the plugin itself.
function withFormats(ajv: Ajv): Ajv {
  return (formats as unknown as typeof formats.default)(ajv, ['date-time'])
}
