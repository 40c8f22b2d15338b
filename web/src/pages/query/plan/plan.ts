import type { QueryPlan } from '../../../api/types'
import { bytes, count, wholeCount } from '../../../format'
import { type Exact, isExactObject, isIntegerText, LosslessNumber, parseExact, printExact } from '../../../records/json'
import { ms } from '../../scans/cost'
import { methodWords as scanWords } from '../../scans/methods'
import { t } from '../../../language/text'

/** A term of a lookup: the required value at a path. */
export interface PlanTerm {
  path: string
  /** JSON text, with every digit */
  value: string
  estimated: string
}

/** A step of a plan, as a row of its table. Counts are exact texts. */
export interface PlanStep {
  node: string
  /** depth in the tree */
  depth: number
  /** the parent step */
  parent: string | undefined
  index: string | undefined
  /** a bin, perhaps with a path, or a set */
  on: string | undefined
  terms: readonly PlanTerm[]
  estimated: string
  /** measured result; undefined if it did not run, or was not measured */
  actual: string | undefined
  ms: number | undefined
  segments: string | undefined
}

export interface Plan extends Omit<QueryPlan, 'tree'> {
  /** parents first; empty if the engine reports no tree */
  steps: readonly PlanStep[]
}

/** Parses a plan's JSON text. Numbers in the terms keep every digit. */
export function readPlan(text: string): Plan {
  const { tree, ...plan } = JSON.parse(text) as QueryPlan
  const exact = parseExact(text)
  return { ...plan, steps: tree !== undefined && isExactObject(exact) ? stepsOf(exact['tree']) : [] }
}

function stepsOf(node: Exact | undefined, depth = 0, parent?: string): PlanStep[] {
  if (!isExactObject(node)) return []
  const name = textOf(node['node']) ?? ''
  const { ms } = node
  const step: PlanStep = {
    node: name,
    depth,
    parent,
    index: textOf(node['index']),
    on: textOf(node['on']),
    terms: listOf(node['terms']).map(termOf),
    estimated: exactCount(node['estimated']) ?? '–',
    actual: exactCount(node['actual']),
    ms: ms instanceof LosslessNumber ? Number(ms.value) : undefined,
    segments: exactCount(node['segments']),
  }
  return [step, ...listOf(node['children']).flatMap((child) => stepsOf(child, depth + 1, name))]
}

function termOf(term: Exact): PlanTerm {
  const { path, value = null, estimated } = isExactObject(term) ? term : {}
  return { path: textOf(path) ?? '', value: printExact(value), estimated: exactCount(estimated) ?? '–' }
}

const textOf = (value: Exact | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: Exact | undefined): Exact[] => (Array.isArray(value) ? value : [])

/** A count of 64 bits with its digits in groups. */
function exactCount(value: Exact | undefined): string | undefined {
  return value instanceof LosslessNumber && isIntegerText(value.value) ? wholeCount(BigInt(value.value)) : undefined
}

const methods: Record<string, string> = {
  'document-index': t('the document index'),
  'range-index': t('the range index'),
  indexes: t('several indexes'),
  'range-order': t('the order of the range index'),
}

const asks: Record<string, string> = {
  'document-index': t('Asks the document index'),
  'range-index': t('Asks the range index'),
  indexes: t('Asks several indexes'),
  'range-order': t('Asks the order of the range index'),
  'set-index': t('Asks the set index'),
  'set-column': t('Asks the set column'),
  all: t('Asks every record'),
  'device-sequential': t('Asks the device, block by block'),
  'token-ranges': t('Asks every row of the cluster'),
}

/** What a query asks, as a sentence. */
export const asksWords = (method: string): string => asks[method] ?? t('Asks {method}', { method })

/** A method of a query, in words. */
export const methodWords = (method: string): string => methods[method] ?? scanWords(method)

/** The result of a query on one line. */
export function actualWords({
  candidates,
  scanned,
  returned,
  ms: took,
  segments,
  reads,
}: NonNullable<QueryPlan['actual']>): string {
  const parts = [
    t('{returned} returned', { returned: count(returned) }),
    t('{scanned} scanned', { scanned: count(scanned) }),
    t('{candidates, plural, one {# candidate} other {# candidates}}', { candidates }),
    ...(segments === undefined ? [] : [t('{segments, plural, one {# segment} other {# segments}}', { segments })]),
    ms(took),
    ...(reads === undefined
      ? []
      : [
          t(
            'read {records, plural, one {# record} other {# records}}, {blocks, plural, one {# block} other {# blocks}}, {bytes}',
            { records: reads.records, blocks: reads.blocks, bytes: bytes(reads.bytes) },
          ),
        ]),
  ]
  return parts.join(' · ')
}
