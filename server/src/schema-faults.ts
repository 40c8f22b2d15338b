// What a value that fails its schema should be, in words: "must be 1 to 128, got 500".

/** A failure of ajv with `verbose`. */
export interface SchemaFault {
  keyword: string
  params: Record<string, unknown>
  message?: string
  parentSchema?: Record<string, unknown>
  data?: unknown
  instancePath?: string
}

/** Longest value that a message repeats, in characters of JSON. */
const SHOWN_MAX = 40

/** The first failure, or all of a value that may have one of several shapes. */
export function describeFault(faults: readonly SchemaFault[] = []): string {
  const [first] = faults
  if (first === undefined) return 'is not valid'
  const isChoice = faults.some(
    ({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === first.instancePath,
  )
  return `${isChoice ? choiceOf(first, faults) : ruleOf(first)}${shown(first)}`
}

/** All types or values that would do, if the value is none of them. */
function choiceOf(first: SchemaFault, faults: readonly SchemaFault[]): string {
  const here = faults.filter(({ keyword, instancePath }) => keyword !== 'anyOf' && instancePath === first.instancePath)
  if (here.every(({ keyword }) => keyword === 'const'))
    return `must be one of ${here.map(({ params }) => params['allowedValue']).join(', ')}`
  const other = here.find(({ keyword }) => keyword !== 'type')
  if (other !== undefined) return ruleOf(other)
  return ruleOf({ ...first, params: { type: [...new Set(here.flatMap(({ params }) => params['type']))] } })
}

/** The value as `got` has it. One that its schema marks as `writeOnly` is a secret, and no message repeats it. */
export function shown({ data, parentSchema = {} }: SchemaFault): string {
  return parentSchema['writeOnly'] === true ? '' : got(data)
}

function ruleOf({ keyword, params, message, parentSchema = {} }: SchemaFault): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'const':
      return `must be ${String(params['allowedValue'])}`
    case 'minimum':
    case 'maximum':
      return `must be ${range(parentSchema['minimum'], parentSchema['maximum'])}`
    case 'minLength':
    case 'maxLength':
      return `must have ${range(parentSchema['minLength'], parentSchema['maxLength'])} characters`
    case 'minItems':
    case 'maxItems':
      return `must have ${range(parentSchema['minItems'], parentSchema['maxItems'])} items`
    case 'type':
      return `must be ${listed([params['type']].flat().map(withArticle))}`
    case 'format':
      return 'must be a time as RFC 3339, such as 2026-01-31T12:00:00Z'
    default:
      return message ?? 'is not valid'
  }
}

function range(least: unknown, most: unknown): string {
  if (most === undefined) return `at least ${String(least)}`
  return least === undefined ? `at most ${String(most)}` : `${String(least)} to ${String(most)}`
}

const listed = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' or ') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const withArticle = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`

/** The value as ", got 500"; nothing if it is long, or a list or an object. */
export function got(data: unknown): string {
  if (data === undefined || (typeof data === 'object' && data !== null)) return ''
  const text = typeof data === 'bigint' || typeof data === 'number' ? String(data) : JSON.stringify(data)
  return text.length > SHOWN_MAX ? '' : `, got ${text}`
}
