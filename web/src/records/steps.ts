import { type Exact, isExactObject, parseExact, printExact } from './json'
import { nameOf } from './groups'
import { limitOf } from './request-fields'

/** What elements go through, and what they may come to at last. */
export const betweenKinds = ['filter', 'map', 'flatMap', 'distinct', 'sort', 'limit'] as const
export const endKinds = ['count', 'reduce', 'groupBy'] as const
export type StepKind = (typeof betweenKinds)[number] | (typeof endKinds)[number]

/** A step of a stream, as a row of its form. */
export interface Step {
  /** tells the rows of a form apart, wherever they are moved to */
  id: number
  kind: StepKind
  /** its argument as JSON text; empty while it says nothing */
  text: string
}

const kinds: readonly string[] = [...betweenKinds, ...endKinds]
const isKind = (name: string): name is StepKind => kinds.includes(name)
export const isEnd = (kind: StepKind): boolean => endKinds.some((end) => end === kind)

/** What a step says that was just added. */
const initial: Partial<Record<StepKind, string>> = { distinct: 'true', count: 'true', limit: '10' }

let ids = 0
export const newStep = (kind: StepKind, text = initial[kind] ?? ''): Step => ({ id: ++ids, kind, text })

/** What the JSON text of steps says; undefined where rows cannot show it. */
export function readSteps(text: string): Step[] | undefined {
  if (text === '') return []
  const value = parseExact(text)
  if (!Array.isArray(value)) return undefined
  const steps = value.map(stepOf).filter((step) => step !== undefined)
  return steps.length === value.length ? steps : undefined
}

function stepOf(value: Exact): Step | undefined {
  const [[kind, argument] = [], ...others] = isExactObject(value) ? Object.entries(value) : []
  if (kind === undefined || argument === undefined || others.length > 0) return undefined
  return isKind(kind) ? newStep(kind, printExact(argument)) : undefined
}

/** The JSON text of steps; undefined while one of them cannot be sent. */
export function stepsText(steps: readonly Step[]): string | undefined {
  if (steps.some((step) => stepProblem(step) !== undefined)) return undefined
  return printExact(steps.map(({ kind, text }) => ({ [kind]: parseExact(text) })))
}

const missing: Partial<Record<StepKind, string>> = {
  filter: 'Say what is let through',
  map: 'Name a bin',
  flatMap: 'Name the bin of the list',
  sort: 'Name what it is sorted by',
  limit: 'A whole number from 1 on',
  reduce: 'Add a figure',
  groupBy: 'Add a group key',
}

/** Why a step cannot be sent; undefined when it can. */
export function stepProblem({ kind, text }: Step): string | undefined {
  if (text.trim() === '') return missing[kind] ?? 'Write true'
  if (kind === 'limit' && limitOf(text) === undefined) return missing.limit
  try {
    parseExact(text)
    return undefined
  } catch (error) {
    return `Not JSON yet: ${error instanceof Error ? error.message : 'write a value'}`
  }
}

/** Whether a step may stand at a place among others: what all comes to is the last. */
export const mayGo = (steps: readonly Step[], from: number, to: number): boolean => {
  const [step, other] = [steps[from], steps[to]]
  return step !== undefined && other !== undefined && !isEnd(step.kind) && !isEnd(other.kind)
}

/** Names that a step can address: the bins of records, or the columns that a step before it has made of them. */
export function namesAt(steps: readonly Step[], at: number, bins: readonly string[]): string[] {
  let names = [...bins]
  for (const step of steps.slice(0, at)) {
    if ((step.kind !== 'map' && step.kind !== 'flatMap') || stepProblem(step) !== undefined) continue
    const value = parseExact(step.text)
    const made = (Array.isArray(value) ? value : [value]).map(nameOf).filter((name) => name !== undefined)
    names = step.kind === 'map' ? made : [...new Set([...names, ...made])]
  }
  return names
}
