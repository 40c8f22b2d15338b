// The shape of a filter: which tests every match must pass, without their values.

export interface Test {
  bin: string
  /** As a filter writes it; unset: the bin itself. */
  path?: string
  op: string
}

/** Filters of more tests, or with longer names, have no shape that is kept. */
const TESTS_MAX = 16
const TEXT_MAX = 512

const signs: Readonly<Record<string, string>> = {
  eq: '=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  prefix: 'begins with',
}

/**
 * The tests of bins that every match of `where` must pass: those of one test, or of an `and`. Undefined: none, or too many.
 * Tests of metadata, of expressions and of members of maps are no part of it.
 */
export function testsOf(where: unknown): Test[] | undefined {
  const tests = [...required(where, 0)]
  return tests.length === 0 || tests.length > TESTS_MAX || shapeText(tests).length > TEXT_MAX ? undefined : tests
}

/** A filter comes as text, because its numbers go to the core as written. */
export function parsedWhere(where: unknown): unknown {
  try {
    return Buffer.isBuffer(where) ? JSON.parse(where.toString()) : where
  } catch {
    return undefined
  }
}

function* required(node: unknown, depth: number): Generator<Test> {
  if (typeof node !== 'object' || node === null || depth > TESTS_MAX) return
  const { and, bin, op, path, any, all } = node as Readonly<Record<string, unknown>>
  if (Array.isArray(and)) for (const part of and) yield* required(part, depth + 1)
  if (typeof bin !== 'string' || typeof op !== 'string' || all !== undefined) return
  if (any !== undefined && any !== 'items') return
  const written = pathOf(path)
  const at = any === 'items' ? `${written ?? ''}[*]` : written
  yield { bin, op, ...(at !== undefined && { path: at }) }
}

function pathOf(path: unknown): string | undefined {
  if (typeof path === 'string') return path
  if (!Array.isArray(path)) return undefined
  const steps = path as unknown[]
  const isPlain = steps.every(
    (step) => typeof step === 'number' || (typeof step === 'string' && /^[^.[\]]+$/.test(step)),
  )
  if (!isPlain) return JSON.stringify(steps)
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    if (step === '*') return `${text}[*]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')
}

/** As slow operations write it: `age >= ? and city = ?`. */
export const shapeText = (tests: readonly Test[]): string => tests.map(testText).join(' and ')

function testText({ bin, path, op }: Test): string {
  const dot = path === undefined || path.startsWith('[') ? '' : '.'
  const place = `${bin}${dot}${path ?? ''}`
  if (op === 'between') return `${place} between ? and ?`
  return `${place} ${signs[op] ?? op} ?`
}

const ops: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(signs).map(([op, sign]) => [sign, op]))

const ONE = /^([\p{L}\p{N}_-]+)((?:\.[\p{L}\p{N}_-]+|\[\*\])*) (=|<=|<|>=|>|begins with|contains|between) \?/u

/** The tests of a shape as slow operations write it; undefined for one that is not a plain list of tests. */
export function testsOfText(text: string): Test[] | undefined {
  const tests: Test[] = []
  for (let rest = text; ;) {
    const found = ONE.exec(rest)
    if (found === null) return undefined
    const [whole, bin = '', path = '', sign = ''] = found
    tests.push({ bin, op: ops[sign] ?? sign, ...(path !== '' && { path: path.replace(/^\./, '') }) })
    rest = rest.slice(whole.length)
    if (sign === 'between') {
      if (!rest.startsWith(' and ?')) return undefined
      rest = rest.slice(' and ?'.length)
    }
    if (rest === '') return tests
    if (!rest.startsWith(' and ')) return undefined
    rest = rest.slice(' and '.length)
  }
}
