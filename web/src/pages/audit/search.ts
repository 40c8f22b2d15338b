import type { SearchSchemaInput } from '@tanstack/react-router'
import type { AuditAsked } from '../../api/queries'
import type { AuditEntry } from '../../api/types'
import { spans } from '../../components/jobs/list-filter'
import { textOf, timeOf } from '../../search'

export type Outcome = NonNullable<AuditEntry['outcome']>
export const OUTCOMES: readonly Outcome[] = ['ok', 'failed', 'refused', 'running', 'unknown']

/** What the Audit page keeps in its URL. */
export interface AuditSearch {
  who?: string | undefined
  operation?: string | undefined
  ns?: string | undefined
  outcome?: Outcome | undefined
  /** one of `spans` */
  since?: string | undefined
  /** the time of an event whose entry is shown, Unix milliseconds */
  at?: number | undefined
}

/** Entries of a change are looked for in this time around its event. */
const BEFORE_MS = 5000
const AFTER_MS = 15_000

export function readAuditSearch(raw: Partial<AuditSearch> & SearchSchemaInput): AuditSearch {
  const since = textOf(raw.since)
  return {
    who: textOf(raw.who),
    operation: textOf(raw.operation),
    ns: textOf(raw.ns),
    outcome: OUTCOMES.find((outcome) => outcome === raw.outcome),
    since: since !== undefined && Object.hasOwn(spans, since) ? since : undefined,
    at: timeOf(raw.at),
  }
}

/** The address has more, such as the range of all pages. */
export const askedOf = ({ who, operation, outcome, since, ns, at }: AuditSearch): AuditAsked => ({
  who,
  operation,
  outcome,
  namespace: ns,
  sinceSeconds: since === undefined || at !== undefined ? undefined : spans[since]?.seconds,
  ...(at !== undefined && {
    from: new Date(at - BEFORE_MS).toISOString(),
    to: new Date(at + AFTER_MS).toISOString(),
  }),
})

/** The entry of a change: the first one after its event, which is noted while the request is still answered. */
export function entryAt(entries: readonly AuditEntry[], at: number | undefined): string | undefined {
  if (at === undefined) return undefined
  const changes = entries.filter(({ operation, dryRun }) => operation !== undefined && dryRun !== true)
  // Newest first.
  const entry = changes.findLast((one) => Date.parse(one.at) >= at) ?? changes[0]
  return entry && String(entry.seq)
}
