// Every route with every role in every scope: what grants allow for a namespace and for some of its sets.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Grant } from '../../src/auth/grants.js'
import { allows, type Role } from '../../src/auth/roles.js'
import { GatewayError } from '../../src/errors.js'
import { useGateway } from '../gateway.js'
import { type Documented, documented, everyRoute, type Route } from './every-route.js'
import { requestFor, type Things } from './requests.js'

/** What the engine still does: it tells what there is. All else would change it. */
const LOOKS = new Set([
  'namespaces',
  'namespaceNames',
  'namespace',
  'tenureOf',
  'firstNamespaceId',
  'job',
  'workload',
  'status',
  'runningJobs',
])
const QUIET = new Set(['kind', 'close', 'callOffJobs', 'settled', 'recordLatency', 'attributeJob', 'room', 'onFrame'])
const LISTS = new Set(['sets', 'indexes', 'index', 'jobs', 'workloads'])

/** Their path names no set, or all of them. */
const WHOLE =
  /WithoutSet$|^compatibleScanNamespace$|^compatibleQuery(Namespace|Partitions)$|^operate$|^operateV2$|^operate(V2)?Read$/
/** Of those who have some sets, they answer what is of these. */
const FILTERED = new Set(['listSets', 'listIndexes'])

type Place = 'mine' | 'other' | 'right' | 'wrong'
const placeOf: Record<Place, Omit<Grant, 'role'>> = {
  mine: { namespace: 'mine' },
  other: { namespace: 'other' },
  right: { namespace: 'mine', setPrefix: 'eu-' },
  wrong: { namespace: 'mine', setPrefix: 'us-' },
}
const callers = (['reader', 'writer', 'operator'] as const).flatMap((role) =>
  (['mine', 'other', 'right', 'wrong'] as const)
    .filter((place) => role !== 'operator' || place === 'mine' || place === 'other')
    .map((place) => ({ role, place })),
)

type Verdict = 'allowed' | 'refused' | 'not found'

/** What the page says, for a request about `eu-1` of `mine`. */
function expected({ operation }: Route, { role, where }: Documented, has: Role, place: Place): Verdict {
  const enough = allows(has, role)
  if (where === 'anything') return 'allowed'
  const runs = operation === 'compareWorkloads'
  if (where.startsWith('at least one set') && !runs) return enough ? 'allowed' : 'refused'
  if (where === 'the whole server') return 'refused'
  if (!enough && /^the namespaces? of the (body|job|run|saved|rule)|^the set of the import/.test(where)) {
    // Without the role anywhere, nothing is looked up.
    return 'refused'
  }
  if (place === 'other') return 'not found'
  if (place === 'mine') return enough ? 'allowed' : 'refused'
  if (runs || /^the namespaces? of the (run|saved|rule)/.test(where)) return 'not found'
  if (/of the (job|import)$/.test(where)) return place === 'right' ? 'allowed' : 'not found'
  if (!where.startsWith('the set')) return 'refused'
  if (!enough || WHOLE.test(operation)) return 'refused'
  if (FILTERED.has(operation)) return 'allowed'
  if (operation === 'getIndex' || operation === 'getCompatibleIndex') return place === 'right' ? 'allowed' : 'not found'
  return place === 'right' ? 'allowed' : 'refused'
}

describe('grants', () => {
  const gateway = useGateway()
  const tokens = new Map<string, string>()
  let routes: Route[]
  let needs: Map<string, Documented>
  let things: Things

  beforeAll(async () => {
    ;[routes, needs] = await Promise.all([everyRoute(), documented()])
    const { ok, app } = gateway()
    await gateway().memoryNamespace('mine')
    await gateway().memoryNamespace('other')
    const body = { name: 'eu-ix', bin: 'a', kind: 'range', set: 'eu-1' }
    await ok('POST /api/v1/namespaces/mine/indexes?wait=10s', { body })
    const { jobId } = await ok<{ jobId: string }>('POST /api/v1/namespaces/mine/import?set=eu-1', {
      body: '{"key":"k","a":1}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const run = { namespace: 'mine', set: 'eu-1', keys: 10, operations: 10 }
    const { id } = await ok<{ id: string }>('POST /api/v1/workloads?wait=20s', { body: run })
    things = { job: jobId, workload: id }
    await ok('PUT /api/v1/namespaces/mine/backup-schedule', { body: { everyHours: 744 } })
    for (const { role, place } of callers) {
      const grants = [{ role, ...placeOf[place] }]
      const made = await ok<{ token: string }>('POST /api/v1/tokens', { body: { name: `${role}-${place}`, grants } })
      tokens.set(`${role} ${place}`, made.token)
    }
    for (const name of Object.keys(app.engine) as (keyof typeof app.engine)[]) {
      if (LOOKS.has(name) || QUIET.has(name) || LISTS.has(name)) continue
      vi.spyOn(app.engine, name as 'close').mockImplementation(() => {
        throw new GatewayError('closed', 'the engine was reached')
      })
    }
  })
  afterAll(() => vi.restoreAllMocks())

  test.each(callers)('$role of $place', async ({ role, place }) => {
    const wrong: string[] = []
    for (const route of routes.filter((one) => !one.public && one.operation !== 'live')) {
      const { line, options, tidy } = await requestFor(route, gateway(), things)
      const headers = { ...options.headers, authorization: `Bearer ${tokens.get(`${role} ${place}`) ?? ''}` }
      const { status, text } = await gateway().send(line, { ...options, headers })
      await tidy()
      const needed = needs.get(route.operation)
      const verdict = needed && expected(route, needed, role, place)
      // It is for whoever has a password, whatever they may do.
      const isForUsers = text.includes('#user_required')
      const got: Verdict = status === 403 && !isForUsers ? 'refused' : status === 404 ? 'not found' : 'allowed'
      // A thing that the caller may see can be missing in another way.
      const missing =
        got === 'not found' &&
        /(rejects|import|migration|record|index|session)_not_found|Record not found|Invalid node/.test(text)
      const unlooked = status === 400 || status === 415
      if (unlooked && needed !== undefined && /^the (set|namespaces? of the [bjrs])/.test(needed.where))
        wrong.push(`${line} (${route.operation}) tells nothing: ${status} ${text.slice(0, 200)}`)
      if (got !== verdict && !(missing && verdict === 'allowed'))
        wrong.push(
          `${line} (${route.operation}): ${status}, must be ${verdict ?? 'on the page'}: ${text.slice(0, 200)}`,
        )
    }
    expect(wrong).toEqual([])
  })
})
