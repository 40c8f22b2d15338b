// Scans, queries, streams and exports of a caller who may have only some sets of a namespace. Then they read one of these
// sets, and tell nothing of what lies beside it: no plan, no index by name, no count of records that were looked at.
import type { Reach } from '../../auth/reach.js'
import type { MaybePromise, RecordStream } from '../engine.js'
import { seal, unseal } from './cursors.js'

interface Spec {
  set?: string
  cursor?: string
  useIndex?: string
  segmentMarks?: boolean
}

/** Words of `useIndex` that name no index. */
const RULES: ReadonlySet<string> = new Set(['auto', 'force', 'never'])

export function readWithin<S extends Spec>(
  reach: Reach,
  namespace: string,
  spec: S,
  read: (spec: S) => Promise<RecordStream>,
): Promise<RecordStream> {
  reach.needSet(namespace, spec.set)
  if (reach.in(namespace)) return read(spec)
  const { cursor, useIndex = 'auto', segmentMarks = false } = spec
  if (segmentMarks || !RULES.has(useIndex)) reach.need(namespace)
  return read({ ...spec, ...(cursor !== undefined && { cursor: unseal(cursor) }) }).then(discreet)
}

/** The same records, without what its cost tells. */
const discreet = (stream: RecordStream): RecordStream => ({
  jobId: stream.jobId,
  next: (): MaybePromise<Buffer | null> => stream.next(),
  abort: () => stream.abort(),
  stalled: (message) => stream.stalled(message),
  heldBytes: () => stream.heldBytes(),
  summary: () => {
    const { estimatedCandidates: _, estimatedMs: _ms, reads: _reads, cursor, ...summary } = stream.summary()
    return {
      ...summary,
      scanned: summary.returned,
      candidates: 0,
      ...(cursor !== undefined && { cursor: seal(cursor) }),
    }
  },
})
