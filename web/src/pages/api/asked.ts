import type { ApiOperation, Parameter } from './operations'

/** A request as it was filled in. */
export interface Asked {
  method: string
  /** below the base path of the server, with its query */
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** Values by `place:name`; an empty one is left out. */
export type Values = Readonly<Record<string, string>>

export const valueName = (parameter: Parameter): string => `${parameter.in}:${parameter.name}`

/** Names of the parameters that a call needs and does not have. */
export function missingOf(operation: ApiOperation, values: Values): string[] {
  return operation.parameters
    .filter((parameter) => parameter.required && (values[valueName(parameter)] ?? '') === '')
    .map(({ name }) => name)
}

/** The values, with the examples of the document for what is needed and missing: so a call can be shown before it is filled in. */
export function withExamples({ parameters }: ApiOperation, values: Values): Values {
  const missing = parameters.filter((parameter) => parameter.required && (values[valueName(parameter)] ?? '') === '')
  const examples = missing.map((parameter) => [valueName(parameter), parameter.example ?? parameter.name.toUpperCase()])
  return { ...values, ...Object.fromEntries(examples) }
}

/** The request. Each part that the path needs has a value. */
export function askedOf(
  { method, path, parameters }: ApiOperation,
  values: Values,
  body: { type: string; text: string } | undefined,
): Asked {
  const given = parameters.flatMap((parameter) => {
    const value = values[valueName(parameter)] ?? ''
    return value === '' ? [] : [{ ...parameter, value }]
  })
  const valueOf = (name: string): string | undefined =>
    given.find((parameter) => parameter.in === 'path' && parameter.name === name)?.value
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_hole, name: string) => encodeURIComponent(valueOf(name) ?? ''))
  const query = new URLSearchParams(
    given.filter((parameter) => parameter.in === 'query').map(({ name, value }) => [name, value]),
  ).toString()
  return {
    method,
    path: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...(body !== undefined && { 'Content-Type': body.type }),
      ...Object.fromEntries(
        given.filter((parameter) => parameter.in === 'header').map(({ name, value }) => [name, value]),
      ),
    },
    body: body?.text,
  }
}
