import type { SearchSchemaInput } from '@tanstack/react-router'
import type { AuditAsked } from '../../api/queries'
import type { AuditEntry } from '../../api/types'
import { spans } from '../../components/jobs/list-filter'
import { textOf } from '../../search'

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
}

export function readAuditSearch(raw: Partial<AuditSearch> & SearchSchemaInput): AuditSearch {
  const since = textOf(raw.since)
  return {
    who: textOf(raw.who),
    operation: textOf(raw.operation),
    ns: textOf(raw.ns),
    outcome: OUTCOMES.find((outcome) => outcome === raw.outcome),
    since: since !== undefined && Object.hasOwn(spans, since) ? since : undefined,
  }
}

export const askedOf = ({ since, ns, ...equal }: AuditSearch): AuditAsked => ({
  ...equal,
  namespace: ns,
  sinceSeconds: since === undefined ? undefined : spans[since]?.seconds,
})
