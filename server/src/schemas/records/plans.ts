// How a query or scan finds its records.
import { type Static, Type } from 'typebox'
import { queryPlan, scanPlan } from '../examples/search.js'
import { count, milliseconds, number, text, timestamp } from '../quantities.js'
import { Said } from '../sentence.js'
import { DeviceReads } from './search.js'
import { choice } from '../words.js'

export const DeviceCosts = Type.Object(
  {
    randomReadNs: number('Time of one record read with a window of reads in flight, in nanoseconds.'),
    sequentialBytesPerSecond: number('Sequential read throughput, in bytes per second.'),
    recordNs: number('CPU time per record of a block, in nanoseconds.'),
    measuredAt: Type.Optional(timestamp('When they were measured', 'Unset: they are assumed.')),
  },
  {
    title: 'DeviceCosts',
    description: 'Costs that estimates for a device namespace use. Jobs of kind `calibrate` measure them.',
  },
)

const segments = Type.Optional(count('Segments to read. Unset if the engine has none.'))
const reason = text('Why this method was chosen.')
const estimatedMs = milliseconds('Estimated time')
const unknown = 'Unset if the engine does not count records.'
const estimatedMsIfKnown = Type.Optional(milliseconds('Estimated time', unknown))

export const ScanPlan = Type.Object(
  {
    method: choice(['set-index', 'set-column', 'all', 'device-sequential', 'token-ranges'], {
      description: 'How it finds the records. `token-ranges`: reads all rows of a cluster.',
    }),
    estimatedMs: estimatedMsIfKnown,
    estimatedRecords: Type.Optional(count(`Estimated records to answer. ${unknown}`)),
    namespaceRecords: Type.Optional(count(`Records in the namespace. ${unknown}`)),
    segments,
    threads: count('Threads it would use.'),
    reason,
    alternatives: Type.Array(Type.Object({ method: text('The method.'), estimatedMs }), {
      description: 'Other methods, with their estimates.',
    }),
    costs: Type.Optional(DeviceCosts),
  },
  { title: 'ScanPlan', description: 'How a scan finds its records.', examples: [scanPlan] },
)
export type ScanPlan = Static<typeof ScanPlan>

const PlanNode = Type.Object(
  {
    node: text(
      'Kind of step. `terms`, `range`: lookups in an index. `range-order`: reads a range index in order. ' +
        '`and`, `or`: combine lookups. `set-index`, `set-column`, `all`, `device-sequential`, ' +
        '`token-ranges`: scans. ' +
        '`filter`, `unnest`, `group`, `order`, `limit`: work on records.',
    ),
    index: Type.Optional(text('Name of the index it uses.')),
    on: Type.Optional(
      text('What it works on: a bin with its path, or a set; for `unnest` the list, for `group` the grouping.'),
    ),
    terms: Type.Optional(
      Type.Array(
        Type.Object({
          path: text('Path in the bin.'),
          value: Type.Unknown({ description: 'The value looked up.' }),
          estimated: count('Estimated records with it.'),
        }),
        { description: 'The first 16 terms looked up in a document index. Numbers keep every digit.' },
      ),
    ),
    estimated: Type.Optional(count('Most records, rows or groups it is expected to give. Unknown for `unnest`.')),
    actual: Type.Optional(count('`analyze`: what it gave.')),
    ms: Type.Optional(milliseconds('`analyze`: time of the step', 'For `unnest` and `group`, the sum of all threads.')),
    segments: Type.Optional(count('`analyze`: segments in which it gave something.')),
    children: Type.Optional(
      Type.Array(Type.Unknown({ description: 'A `PlanNode`.' }), { description: 'The steps that feed this one.' }),
    ),
  },
  { title: 'PlanNode', description: 'A step of a plan. Its children run before it.' },
)

const method = choice(
  [
    'document-index',
    'range-index',
    'indexes',
    'range-order',
    'set-index',
    'set-column',
    'all',
    'device-sequential',
    'token-ranges',
  ],
  { description: 'How it finds the records. `indexes`: by several indexes.' },
)

export const QueryPlan = Type.Object(
  {
    method,
    index: Type.Optional(text('Name of the index it uses.')),
    indexes: Type.Optional(Type.Array(Type.String(), { description: 'Names of the indexes, if it uses several.' })),
    segments,
    estimatedCandidates: Type.Optional(count(`Records that are estimated to be read. ${unknown}`)),
    estimatedMs: estimatedMsIfKnown,
    terms: Type.Optional(count('Terms looked up in a document index.')),
    reason,
    said: Said,
    alternatives: Type.Optional(
      Type.Array(
        Type.Object({
          method: text('The method.'),
          index: Type.Optional(text('Name of the index.')),
          estimatedMs,
        }),
        { description: 'The methods that were compared, with their estimates.' },
      ),
    ),
    tree: Type.Optional(PlanNode),
    actual: Type.Optional(
      Type.Object(
        {
          candidates: count('Records proposed by an index.'),
          scanned: count('Records read.'),
          returned: count('Rows answered.'),
          ms: milliseconds('Time in the engine'),
          segments: Type.Optional(count('Segments read. Unset if the engine has none.')),
          reads: Type.Optional(DeviceReads),
        },
        { description: '`analyze`: what the query did.' },
      ),
    ),
  },
  { title: 'QueryPlan', description: 'How a query finds its records.', examples: [queryPlan] },
)
