import { conditionOf, type FilterRow, isBlank, rowOf, rowProblem } from './filter'
import { type Exact, isExactObject, parseExact, printExact } from './json'

/** Tests and groups of tests, one in the other. */
export interface WhereGroup {
  kind: 'group'
  /** and: all must hold; or: one is enough */
  join: 'and' | 'or'
  /** holds when what is inside does not */
  not: boolean
  nodes: readonly WhereNode[]
}

export type WhereNode =
  | WhereGroup
  | { kind: 'test'; row: FilterRow }
  /** A test that says more than a row can: its JSON text, kept as it is. */
  | { kind: 'json'; text: string }

export const emptyGroup: WhereGroup = { kind: 'group', join: 'and', not: false, nodes: [] }

/** What a filter's JSON text says; undefined when it is no JSON. */
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
    // A group has one "not"; a second one stands around it.
    return node.kind === 'group' && !node.not ? { ...node, not: true } : { ...emptyGroup, not: true, nodes: [node] }
  }
  const row = rowOf(value)
  return row === undefined ? { kind: 'json', text: printExact(value) } : { kind: 'test', row }
}

function onlyMember(value: { [name: string]: Exact }): [name?: string, inner?: Exact] {
  const [first, ...others] = Object.entries(value)
  return first === undefined || others.length > 0 ? [] : first
}

/** Why a node cannot be sent, or one that lies in it; undefined when all can. */
export function nodeProblem(node: WhereNode): string | undefined {
  if (node.kind === 'test') return isBlank(node.row) ? undefined : rowProblem(node.row)
  if (node.kind === 'group') return node.nodes.map(nodeProblem).find((problem) => problem !== undefined)
  try {
    return isExactObject(parseExact(node.text)) ? undefined : 'A condition is a JSON object'
  } catch (error) {
    return `Not JSON yet: ${error instanceof Error ? error.message : 'write an object'}`
  }
}

/** The filter's JSON text; empty when nothing is asked, undefined while a part of it cannot be sent. */
export function whereText(group: WhereGroup, indent?: number): string | undefined {
  if (nodeProblem(group) !== undefined) return undefined
  const value = valueOf(group)
  return value === undefined ? '' : printExact(value, indent)
}

/** Of a node without a problem. Blank rows, and groups of only such, say nothing. */
function valueOf(node: WhereNode): Exact | undefined {
  if (node.kind === 'test') return isBlank(node.row) ? undefined : conditionOf(node.row)
  if (node.kind === 'json') return parseExact(node.text)
  const parts = node.nodes.map(valueOf).filter((part) => part !== undefined)
  const [first] = parts
  if (first === undefined) return undefined
  const joined = parts.length === 1 ? first : { [node.join]: parts }
  return node.not ? { not: joined } : joined
}
