import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { openapiQuery } from '../api/queries'
import { queryClient } from '../api/query-client'
import type { Guide } from './guide'
import { type JsonPath, namesAt, type Suggestion, valuesAt } from './suggestions'

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>

/** Where the cursor is in JSON, and what is written there already. */
export interface Spot {
  kind: 'name' | 'value'
  /** of the object that a name is for, or of the value */
  path: JsonPath
  from: number
  to: number
}

/** Suggests names and values: members and choices from the API's own description, bins from the page. */
export function completeJson(guide: () => Guide | undefined): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const now = guide()
    const spot = spotOf(context.state, context.pos)
    if (now === undefined || spot === undefined) return null
    // While nothing is written, a list would be in the way: Ctrl+Space opens it.
    if (!context.explicit && spot.from === context.pos) return null
    const document = now.body === undefined ? undefined : await described()
    const all = spot.kind === 'name' ? namesAt(document, now, spot.path) : valuesAt(document, now, spot.path)
    if (all.length === 0) return null
    const colon = spot.kind === 'name' && !/^\s*:/.test(context.state.sliceDoc(spot.to, spot.to + 20))
    const fit = narrowed(all, context.state.sliceDoc(spot.from, context.pos))
    return { from: spot.from, to: spot.to, options: fit.map((one) => optionOf(one, colon)), filter: false }
  }
}

/** The API's description of itself; without one, the rest is suggested. */
const described = (): Promise<unknown> => queryClient.ensureQueryData(openapiQuery()).catch(() => undefined)

/** The suggestions that have what is written in them; those that begin with it come first. */
function narrowed(all: readonly Suggestion[], written: string): Suggestion[] {
  const start = written.replace(/^"/, '').toLowerCase()
  const fit = all.filter(({ label }) => label.toLowerCase().includes(start))
  return fit.toSorted((a, b) => Number(b.label.startsWith(start)) - Number(a.label.startsWith(start)))
}

const optionOf = ({ label, text, about }: Suggestion, colon: boolean): Completion => ({
  label,
  apply: colon ? `${text}: ` : text,
  ...(about !== undefined && { info: about }),
})

/** The place of the cursor; undefined if no name or value can stand there. */
export function spotOf(state: EditorState, pos: number): Spot | undefined {
  const tree = syntaxTree(state)
  const at = tree.resolveInner(pos, -1)
  const inside = at.from < pos && pos <= at.to
  if (inside && at.name === 'PropertyName')
    return { kind: 'name', path: pathOf(state, at.parent?.parent ?? null), from: at.from, to: at.to }
  if (inside && ['String', 'True', 'False', 'Null', 'Number'].includes(at.name))
    return { kind: 'value', path: valuePath(state, at), from: at.from, to: at.to }
  // A word that is no JSON yet, or nothing.
  const word = /"?\w*$/.exec(state.sliceDoc(Math.max(0, pos - 100), pos))?.[0] ?? ''
  const from = pos - word.length
  const before = /[{[,:](?=\s*$)/.exec(state.sliceDoc(Math.max(0, from - 100), from))?.[0]
  const place = before === undefined ? undefined : containerAt(tree.resolveInner(from, -1))
  if (place === undefined) return undefined
  if (before === ':') return { kind: 'value', path: pathOf(state, lastProperty(place, from) ?? place), from, to: pos }
  if (place.name === 'Array') return { kind: 'value', path: [...pathOf(state, place), '*'], from, to: pos }
  return { kind: 'name', path: pathOf(state, place), from, to: pos }
}

function containerAt(from: Node): Node | undefined {
  let at: Node | null = from
  while (at !== null && !['Object', 'Array', 'Property'].includes(at.name)) at = at.parent
  return at ?? undefined
}

/** The property whose colon is before `pos`. */
function lastProperty(place: Node, pos: number): Node | undefined {
  if (place.name === 'Property') return place
  const properties = place.getChildren('Property').filter(({ from }) => from < pos)
  return properties.at(-1)
}

const valuePath = (state: EditorState, value: Node): JsonPath =>
  value.parent?.name === 'Array' ? [...pathOf(state, value.parent), '*'] : pathOf(state, value.parent)

/** The names from the root to what is inside a node. */
function pathOf(state: EditorState, node: Node | null): string[] {
  const path: string[] = []
  for (let at = node; at !== null; at = at.parent) {
    const isItem = at.parent?.name === 'Array'
    if (at.name === 'Property') path.unshift(nameOf(state, at))
    else if (isItem) path.unshift('*')
  }
  return path
}

function nameOf(state: EditorState, property: Node): string {
  const name = property.getChild('PropertyName')
  if (name === null) return ''
  const text = state.sliceDoc(name.from, name.to)
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
