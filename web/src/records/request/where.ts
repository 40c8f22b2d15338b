import { type Exact, isExactObject, parseExact, printExact } from '../json'
import { faultOf, faultWords } from '../json-scan'
import { conditionOf, type FilterRow, isBlank, rowOf, rowProblem } from './filter'
import { t } from '../../language/text'

/** Tests and nested groups of tests. */
export interface WhereGroup {
  kind: 'group'
  /** and: all must match; or: one is enough */
  join: 'and' | 'or'
  /** negates the group */
  not: boolean
  nodes: readonly WhereNode[]
}

export type WhereNode =
  | WhereGroup
  | { kind: 'test'; row: FilterRow }
  /** A test that a row cannot express: its JSON text, unchanged. */
  | { kind: 'json'; text: string }

export const emptyGroup: WhereGroup = { kind: 'group', join: 'and', not: false, nodes: [] }

/** Parses a filter's JSON text; undefined if it is not JSON. */
export function readWhere(text: string): WhereGroup | undefined {
  if (text.trim() === '') return emptyGroup
  let parsed: Exact
  try {
    parsed = parseExact(text)
  } catch {
    return undefined
  }
  const node = nodeOf(parsed)
  return node.kind === 'group' ? node : { ...emptyGroup, nodes: [node] }
}

function nodeOf(value: Exact): WhereNode {
  const [name, inner] = isExactObject(value) ? onlyMember(value) : []
  if ((name === 'and' || name === 'or') && Array.isArray(inner)) {
    return { kind: 'group', join: name, not: false, nodes: inner.map(nodeOf) }
  }
  if (name === 'not' && isExactObject(inner)) {
    const node = nodeOf(inner)
    // A group has one "not"; a second one needs an outer group.
    return node.kind === 'group' && !node.not ? { ...node, not: true } : { ...emptyGroup, not: true, nodes: [node] }
  }
  const row = rowOf(value)
  return row === undefined ? { kind: 'json', text: printExact(value) } : { kind: 'test', row }
}

function onlyMember(value: { [name: string]: Exact }): [name?: string, inner?: Exact] {
  const [first, ...others] = Object.entries(value)
  return first === undefined || others.length > 0 ? [] : first
}

/** Why a node, or one inside it, cannot be sent; undefined if all can. */
export function nodeProblem(node: WhereNode): string | undefined {
  if (node.kind === 'test') return isBlank(node.row) ? undefined : rowProblem(node.row)
  if (node.kind === 'group') return node.nodes.map(nodeProblem).find((problem) => problem !== undefined)
  const fault = faultOf(node.text)
  if (fault !== undefined) return t('Not JSON yet. {text}', { text: faultWords(node.text, fault) })
  return isExactObject(parseExact(node.text)) ? undefined : t('Enter a JSON object')
}

/** The filter's JSON text; empty without conditions, undefined while a part is incomplete. */
export function whereText(group: WhereGroup, indent?: number): string | undefined {
  if (nodeProblem(group) !== undefined) return undefined
  const value = valueOf(group)
  return value === undefined ? '' : printExact(value, indent)
}

/** The JSON of a node without problems. Blank rows, and groups of only blank rows, are left out. */
function valueOf(node: WhereNode): Exact | undefined {
  if (node.kind === 'test') return isBlank(node.row) ? undefined : conditionOf(node.row)
  if (node.kind === 'json') return parseExact(node.text)
  const parts = node.nodes.map(valueOf).filter((part) => part !== undefined)
  const [first] = parts
  if (first === undefined) return undefined
  const joined = parts.length === 1 ? first : { [node.join]: parts }
  return node.not ? { not: joined } : joined
}
