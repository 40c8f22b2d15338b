// Enforces schemas as written: unknown fields are refused and nothing is dropped. Only query strings, paths and headers, which
// are text, are converted to other types.
import { Ajv, type Options } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from '../app-types.js'
import { nothing } from '../bodies/rule.js'
import { parseMoment } from '../requests/moment.js'
import { isNumber, isSafeInteger } from '../requests/numbers.js'
import type { SchemaFault } from '../schema-faults.js'

// Verbose: a failure has the value and the schema, for its message.
const common: Options = {
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: false,
  verbose: true,
}

export function validateStrictly(app: App): void {
  // Strict numbers: 1e999 is infinite, and none. With conversion, they would exempt it from every bound.
  const body = withFormats(new Ajv({ ...common, strictNumbers: true, coerceTypes: false }))
  const text = withFormats(new Ajv({ ...common, strictNumbers: false, coerceTypes: 'array' }))
  const compile: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
    const compiled = app.lateSchemas.later(() => (httpPart === 'body' ? body : text).compile(schema))
    const check = (data: unknown) => {
      const validate = compiled()
      return validate(data) || { error: validate.errors ?? [] }
    }
    if (httpPart === 'body') return check
    const numbers = numbersOf(schema)
    if (numbers.length === 0) return check
    return (data) => {
      const fault = faultOf(numbers, data as Record<string, unknown>)
      return fault === undefined ? check(data) : { error: [fault] }
    }
  }
  app.setValidatorCompiler(compile)
}

type Properties = Record<string, Record<string, unknown>>
type Named = [name: string, schema: Properties[string]]
type Fault = SchemaFault & { instancePath: string; schemaPath: string }

/** The parameters that are numbers. */
const numbersOf = (schema: TSchema): Named[] =>
  Object.entries((schema as { properties?: Properties }).properties ?? {}).filter(
    ([, { type }]) => type === 'integer' || type === 'number',
  )

/** What is wrong with the first number that is not written as we write numbers. */
function faultOf(numbers: readonly Named[], data: Record<string, unknown>): Fault | undefined {
  for (const [name, parentSchema] of numbers) {
    const { type } = parentSchema
    const value = data[name]
    if (typeof value !== 'string' || (type === 'integer' ? isSafeInteger : isNumber)(value)) continue
    return { keyword: 'type', instancePath: `/${name}`, schemaPath: '', params: { type }, parentSchema, data: value }
  }
  return undefined
}

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false })

/**
 * In this scope, a route without declared query parameters refuses all, and one without a declared body refuses
 * every field: an ignored `dryRun=true` would do real harm.
 */
export function refuseUnknownParameters(scope: App): void {
  scope.addHook('onRoute', (route) => {
    route.schema = { querystring: NO_PARAMETERS, ...route.schema }
    if (route.schema.body === undefined) route.config = { body: nothing, ...route.config }
  })
}

const withFormats = (ajv: Ajv): Ajv => ajv.addFormat('date-time', (text) => parseMoment(text) !== undefined)
