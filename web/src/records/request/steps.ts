import { type Exact, isExactObject, parseExact, printExact } from '../json'
import { faultOf, faultWords } from '../json-scan'
import { nameOf } from './groups'
import { limitOf } from './request-fields'
import { t } from '../../language/text'

/** The kinds of steps, and those that may end a stream. */
export const betweenKinds = ['filter', 'map', 'flatMap', 'distinct', 'sort', 'limit'] as const
export const endKinds = ['count', 'reduce', 'groupBy'] as const
export type StepKind = (typeof betweenKinds)[number] | (typeof endKinds)[number]

/** A step of a stream, as a row of its form. */
export interface Step {
  /** identifies the row when it moves */
  id: number
  kind: StepKind
  /** its argument as JSON text; empty: none yet */
  text: string
}

const kinds: readonly string[] = [...betweenKinds, ...endKinds]
const isKind = (name: string): name is StepKind => kinds.includes(name)
export const isEnd = (kind: StepKind): boolean => endKinds.some((end) => end === kind)

/** The default argument of a new step. */
const initial: Partial<Record<StepKind, string>> = { distinct: 'true', count: 'true', limit: '10' }

let ids = 0
export const newStep = (kind: StepKind, text = initial[kind] ?? ''): Step => ({ id: ++ids, kind, text })

/** Parses the JSON text of steps; undefined if rows cannot show it. */
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

/** The JSON text of steps; undefined while one of them is incomplete. */
export function stepsText(steps: readonly Step[]): string | undefined {
  if (steps.some((step) => stepProblem(step) !== undefined)) return undefined
  return printExact(steps.map(({ kind, text }) => ({ [kind]: parseExact(text) })))
}

const missing: Partial<Record<StepKind, string>> = {
  filter: t('Enter a condition'),
  map: t('Enter a bin'),
  flatMap: t('Enter the bin of the list'),
  sort: t('Enter what to sort by'),
  limit: t('A whole number, 1 or more'),
  reduce: t('Add a figure'),
  groupBy: t('Add a group key'),
}

/** Why a step cannot be sent; undefined if it can. */
export function stepProblem({ kind, text }: Step): string | undefined {
  if (text.trim() === '') return missing[kind] ?? t('Enter true')
  if (kind === 'limit' && limitOf(text) === undefined) return missing.limit
  const fault = faultOf(text)
  return fault && t('Not JSON yet. {text}', { text: faultWords(text, fault) })
}

/** Whether a step may be at a position; a step that ends a stream must be the last. */
export const mayGo = (steps: readonly Step[], from: number, to: number): boolean => {
  const [step, other] = [steps[from], steps[to]]
  return step !== undefined && other !== undefined && !isEnd(step.kind) && !isEnd(other.kind)
}

/** Names that a step can use: bins of records, or columns of an earlier step. */
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
