import type { OpenQuery } from '../../../api/types'
import { type Draft, isBlank } from './drafts'

// Several browsers of one person keep their open queries on the server. What each has changed since it last knew the
// server is merged, and nothing that was typed is lost.

/** What this browser knows of the server. */
export interface Base {
  /** The queries that the server had. */
  readonly items: readonly OpenQuery[]
  /** Those that were sent, if it is not known whether the server took them. */
  readonly sent?: readonly OpenQuery[] | undefined
}

export interface Merged {
  drafts: readonly Draft[]
  /** Those that were closed in another browser. */
  gone: readonly Draft[]
}

interface Means {
  /** The browser, and the time, for a query that both have changed. */
  from: OpenQuery['from']
  newKey: () => string
  newId: () => number
}

/** Merges the drafts of this browser with what the server has now. */
export function mergeDrafts(base: Base, mine: readonly Draft[], theirs: readonly OpenQuery[], means: Means): Merged {
  const before = byKey(base.items)
  const sent = byKey(base.sent ?? [])
  const there = byKey(theirs)
  const drafts: Draft[] = []
  const gone: Draft[] = []
  for (const draft of withKeys(mine, theirs, means.newKey)) {
    const key = draft.key ?? ''
    const their = there.get(key)
    const known = before.get(key)
    if (their === undefined) {
      // Closed elsewhere, unless it is new, or was changed here since.
      if (known !== undefined && isSame(itemOf(draft, key), known)) gone.push(draft)
      else drafts.push(draft)
      continue
    }
    const own = itemOf(draft, key)
    const ancestor = ancestorOf(their, known, sent.get(key))
    if (isSame(own, their) || (ancestor !== undefined && isSame(their, ancestor)) || isEmpty(their)) drafts.push(draft)
    else if ((ancestor !== undefined && isSame(own, ancestor)) || isEmpty(own))
      drafts.push({ ...draftOf(their), id: draft.id })
    // Both changed it: each goes on with its own.
    else drafts.push({ ...draft, key: means.newKey(), from: means.from }, { ...draftOf(their), id: means.newId() })
  }
  return { drafts: withNew(drafts, theirs, (their) => isClosedHere(their, before, sent), means.newId), gone }
}

/** Drafts without a key get one, but not the blank ones: nobody else wants them. */
export function withKeys(mine: readonly Draft[], theirs: readonly OpenQuery[], newKey: () => string): readonly Draft[] {
  const taken = new Set(mine.map(({ key }) => key))
  if (mine.every((draft) => draft.key !== undefined || isBlank(draft))) return mine
  return mine.map((draft) => {
    if (draft.key !== undefined || isBlank(draft)) return draft
    // An address may have opened what is open elsewhere.
    const same = theirs.find((their) => !taken.has(their.key) && isSame(itemOf(draft, their.key), their))
    const key = same?.key ?? newKey()
    taken.add(key)
    return { ...draft, key }
  })
}

export const itemOf = ({ ns, text, saved, from }: Draft, key: string): OpenQuery => ({
  key,
  ...(ns !== undefined && { namespace: ns }),
  ...(text !== undefined && { request: text }),
  ...(saved !== undefined && { saved }),
  ...(from !== undefined && { from }),
})

const draftOf = ({ key, namespace, request, saved, from }: OpenQuery): Omit<Draft, 'id'> => ({
  key,
  ns: namespace,
  // One without both is blank.
  text: request ?? (saved === undefined ? '' : undefined),
  saved,
  ...(from !== undefined && { from }),
})

/** Whether they say the same, wherever they were typed. */
export const isSame = (one: OpenQuery, other: OpenQuery): boolean =>
  one.namespace === other.namespace && one.request === other.request && one.saved === other.saved

const isEmpty = ({ request = '', saved }: OpenQuery): boolean =>
  saved === undefined && (request.trim() === '' || isBlank({ text: request }))

const byKey = (items: readonly OpenQuery[]): ReadonlyMap<string, OpenQuery> =>
  new Map(items.map((item) => [item.key, item]))

/** What both began from. If the server has what was sent, it has taken it. */
const ancestorOf = (their: OpenQuery, known?: OpenQuery, sent?: OpenQuery): OpenQuery | undefined =>
  sent !== undefined && isSame(their, sent) ? sent : known

/** A query that this browser knew and has no more was closed here. If it was changed elsewhere since, it comes back. */
function isClosedHere(
  their: OpenQuery,
  before: ReadonlyMap<string, OpenQuery>,
  sent: ReadonlyMap<string, OpenQuery>,
): boolean {
  const ancestor = ancestorOf(their, before.get(their.key), sent.get(their.key))
  return ancestor !== undefined && isSame(their, ancestor)
}

/** Adds the queries that this browser does not have, each behind its left neighbour. */
function withNew(
  drafts: readonly Draft[],
  theirs: readonly OpenQuery[],
  isClosed: (their: OpenQuery) => boolean,
  newId: () => number,
): readonly Draft[] {
  const all = [...drafts]
  let at = 0
  for (const their of theirs) {
    const place = all.findIndex(({ key }) => key === their.key)
    if (place !== -1) at = place + 1
    else if (!isClosed(their)) {
      all.splice(at, 0, { ...draftOf(their), id: newId() })
      at += 1
    }
  }
  return all
}
