import { compactRequest, emptyRequest, fitsAddress, prettyRequest } from '../../../records/request/request'
import type { OpenQuery } from '../../../api/types'
import type { QuerySearch } from '../search'

/** A query that is open in the workbench. */
export interface Draft {
  readonly id: number
  /** undefined until one is chosen; the largest is used meanwhile */
  readonly ns?: string | undefined
  /** JSON text as typed; undefined until its saved query is loaded */
  readonly text?: string | undefined
  /** id of the saved query behind it */
  readonly saved?: string | undefined
  /** tells it from others in every browser; undefined until it was merged with what the server has */
  readonly key?: string | undefined
  /** where it was typed, if another browser changed the same query at the same time */
  readonly from?: OpenQuery['from']
}

/** The content of a draft. */
export type Content = Omit<Draft, 'id' | 'key'>

/** The open queries. Every function below returns a new workbench. */
export interface Workbench {
  /** at least one */
  readonly drafts: readonly Draft[]
  /** the id of the one that is shown */
  readonly active: number
  /** closed drafts, newest first */
  readonly closed: readonly Draft[]
}

/** Most open queries. Opening one more closes the first, which can be reopened. */
export const MOST_DRAFTS = 32
/** Most closed queries that can be reopened. */
export const MOST_CLOSED = 10

const blank: Content = { text: emptyRequest }

export const emptyWorkbench: Workbench = { drafts: [{ id: 1, ...blank }], active: 1, closed: [] }

/** Whether a draft is blank. A blank draft is filled, instead of opening another. */
export const isBlank = ({ text, saved }: Content): boolean =>
  saved === undefined && text !== undefined && compactRequest(text) === compactRequest(emptyRequest)

/** The shown draft. */
export const activeOf = ({ drafts, active }: Workbench): Draft =>
  drafts.find(({ id }) => id === active) ?? drafts[0] ?? { id: active, ...blank }

/** The address of a draft. A draft that is too long for it is only found in this browser, or as a saved query. */
export function addressOf(draft: Content): QuerySearch {
  const { ns, text, saved } = draft
  const request = text === undefined || isBlank(draft) ? undefined : compactRequest(text)
  return { ns, request: request !== undefined && fitsAddress(request) ? request : undefined, saved }
}

export const sameAddress = (a: QuerySearch, b: QuerySearch): boolean =>
  a.ns === b.ns && a.request === b.request && a.saved === b.saved

/** Shows the query of an address: an equal draft, or a new one. */
export function arrive(bench: Workbench, { ns, request, saved }: QuerySearch): Workbench {
  const shown = activeOf(bench)
  const nearest = [shown, ...bench.drafts]
  if (request === undefined && saved === undefined) {
    if (ns === undefined || shown.ns === ns) return bench
    const there = nearest.find((draft) => draft.ns === ns)
    return there === undefined ? open(bench, { ...blank, ns }) : { ...bench, active: there.id }
  }
  const wanted: QuerySearch = { ns, request: request === undefined ? undefined : compactRequest(request), saved }
  const there = nearest.find((draft) => sameAddress(addressOf(draft), wanted))
  if (there !== undefined) return { ...bench, active: there.id }
  return open(bench, { ns, saved, text: request === undefined ? undefined : prettyRequest(request) })
}

/** Shows a query: in an equal draft, in the shown draft if it is blank, or in a new one. */
export function open(bench: Workbench, content: Content): Workbench {
  const shown = activeOf(bench)
  const same = bench.drafts.find((draft) => !isBlank(draft) && sameContent(draft, content))
  if (same !== undefined) return { ...bench, active: same.id }
  return isBlank(shown) ? change(bench, shown.id, content) : insert(bench, content)
}

function sameContent(draft: Draft, { ns, text, saved }: Content): boolean {
  if (draft.text === undefined || text === undefined) return false
  return draft.ns === ns && draft.saved === saved && compactRequest(draft.text) === compactRequest(text)
}

/** Opens a new draft next to the shown one, in the same namespace. */
export const add = (bench: Workbench): Workbench => insert(bench, { ...blank, ns: activeOf(bench).ns })

function insert(bench: Workbench, content: Content): Workbench {
  const { drafts, active } = bench
  const id = freshId(bench)
  const at = drafts.findIndex((draft) => draft.id === active) + 1
  const next = { ...bench, drafts: drafts.toSpliced(at, 0, { ...content, id }), active: id }
  const first = next.drafts.find((draft) => draft.id !== id)
  return next.drafts.length > MOST_DRAFTS && first !== undefined ? close(next, first.id) : next
}

export const freshId = ({ drafts, closed }: Workbench): number =>
  1 + Math.max(...[...drafts, ...closed].map(({ id }) => id))

/** Closes a draft and shows its right neighbour, or a blank draft after the last one. */
export function close(bench: Workbench, id: number): Workbench {
  const { drafts, active } = bench
  const at = drafts.findIndex((draft) => draft.id === id)
  const gone = drafts[at]
  if (gone === undefined) return bench
  const closed = withClosed(bench, [gone])
  const rest = drafts.toSpliced(at, 1)
  if (rest.length === 0) {
    const last = { ...blank, ns: gone.ns, id: freshId(bench) }
    return { drafts: [last], active: last.id, closed }
  }
  return { drafts: rest, active: active === id ? (rest[at] ?? rest[at - 1] ?? gone).id : active, closed }
}

/** The closed drafts with more of them. One that is reopened is a new one for other browsers. */
function withClosed({ closed }: Workbench, more: readonly Draft[]): readonly Draft[] {
  const kept = more.filter((draft) => !isBlank(draft)).map((draft) => ({ ...draft, key: undefined }))
  return [...kept, ...closed].slice(0, MOST_CLOSED)
}

/** Reopens the last closed draft. */
export function reopen(bench: Workbench): Workbench {
  const [last, ...closed] = bench.closed
  if (last === undefined) return bench
  const { id: _, ...content } = last
  return open({ ...bench, closed }, content)
}

/** Shows the draft `by` places to the right, and wraps around. */
export function step(bench: Workbench, by: number): Workbench {
  const { drafts, active } = bench
  const at = drafts.findIndex(({ id }) => id === active)
  return { ...bench, active: (drafts.at((at + by) % drafts.length) ?? activeOf(bench)).id }
}

export const show = (bench: Workbench, id: number): Workbench => ({ ...bench, active: id })

export const change = (bench: Workbench, id: number, part: Content): Workbench => ({
  ...bench,
  drafts: bench.drafts.map((draft) => (draft.id === id ? { ...draft, ...part } : draft)),
})

/** A saved query was deleted: its drafts become independent. */
export const detach = (bench: Workbench, saved: string): Workbench => ({
  ...bench,
  drafts: bench.drafts.map((draft) =>
    draft.saved === saved ? { ...draft, saved: undefined, text: draft.text ?? emptyRequest } : draft,
  ),
})

/** Takes over what other browsers have changed: `gone` were closed there. */
export function merged(
  bench: Workbench,
  { drafts, gone }: { drafts: readonly Draft[]; gone: readonly Draft[] },
): Workbench {
  const closed = gone.length === 0 ? bench.closed : withClosed(bench, gone)
  const next = { ...bench, closed }
  if (drafts.length > 0) return adopt(next, { drafts, closed })
  const last = { ...blank, id: freshId(bench) }
  return { ...next, drafts: [last], active: last.id }
}

/** Takes over the workbench of another window; keeps showing the same draft if it is still open. */
export function adopt(bench: Workbench, { drafts, closed }: Pick<Workbench, 'drafts' | 'closed'>): Workbench {
  const at = bench.drafts.findIndex(({ id }) => id === bench.active)
  const shown = drafts.find(({ id }) => id === bench.active) ?? drafts[Math.min(at, drafts.length - 1)] ?? drafts[0]
  return shown === undefined ? bench : { drafts, closed, active: shown.id }
}
