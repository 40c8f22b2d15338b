// Lists of jobs and of benchmark runs: what the request asks the engine for, and the page that it is answered with.
import type { JobList, JobQuery } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import { type JobsQuery, LIST_LIMIT } from '../schemas/jobs/list.js'
import { momentMs, momentOf } from './moment.js'
import { nameList } from './name-list.js'
import type { Page } from './page.js'
import { say } from '../sentences/sentence.js'

/**
 * The page of the list that `query` asks for. The cursor is the id of its last item, so it stays valid if that is
 * forgotten meanwhile.
 *
 * @throws GatewayError `field_invalid`; `cursor_invalid` from the engine
 */
export async function listOf<T extends { id: string }>(
  query: JobsQuery,
  read: (query: JobQuery) => Promise<JobList<T>>,
): Promise<Page<T>> {
  const { limit = LIST_LIMIT, cursor, namespace, kind, state, from, to } = query
  const [fromMs, toMs] = [momentOf(from), momentOf(to)]
  if (from !== undefined && to !== undefined && momentMs(from) >= momentMs(to))
    throw new GatewayError('field_invalid', say('from must be before to, got {given} and {to}', { given: from, to }), {
      field: 'from',
    })
  const { items, more } = await read({
    limit,
    ...(cursor !== undefined && { after: Buffer.from(cursor, 'base64url').toString() }),
    ...(namespace !== undefined && { namespace }),
    ...(kind !== undefined && { kinds: nameList(kind) }),
    ...(state !== undefined && { states: nameList(state) }),
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
  })
  const last = items.at(-1)
  return {
    items,
    truncated: more,
    ...(more && last !== undefined && { cursor: Buffer.from(last.id).toString('base64url') }),
    limit,
  }
}
