// What lists of jobs and of benchmark runs are asked for.
import { type Static, Type } from 'typebox'
import { PageQuery } from '../pages.js'
import { moment } from '../quantities.js'
import { NamespaceName, several } from '../words.js'
import { JobKind, JobState } from './jobs.js'

/** Most jobs or runs in one answer, and as many as there are unless the request says otherwise. */
export const LIST_LIMIT = 500

const fields = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_LIMIT,
      description: `Most items in the answer, 1 to ${LIST_LIMIT}. Default: ${LIST_LIMIT}. Large ones fill a page earlier.`,
      examples: [100],
    }),
  ),
  cursor: PageQuery.properties.cursor,
  namespace: Type.Optional({ ...NamespaceName, description: 'Only those of this namespace. Unset: all.' }),
  state: several(
    JobState.enum,
    `Only those in one of these states, comma-separated: ${JobState.enum.join(', ')}. Unset: all.`,
    'failed,aborted',
  ),
  from: Type.Optional(
    moment('Only those created at this time or later, RFC 3339. Unset: all.', '2026-01-31T12:00:00Z'),
  ),
  to: Type.Optional(moment('Only those created before this time, RFC 3339. Unset: all.', '2026-01-31T12:15:00Z')),
}

export const WorkloadsQuery = Type.Object(fields, { additionalProperties: false })

export const JobsQuery = Type.Object(
  {
    ...fields,
    kind: several(
      JobKind.enum,
      `Only jobs of one of these kinds, comma-separated: ${JobKind.enum.join(', ')}. Unset: all.`,
      'import,index-build',
    ),
  },
  { additionalProperties: false },
)
export type JobsQuery = Static<typeof JobsQuery>
