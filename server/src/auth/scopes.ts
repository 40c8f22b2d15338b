// Where a caller must have the role of an operation, and how a request says where that is. Only callers without the role
// for the whole server are asked.
import type { FastifyRequest } from 'fastify'
import { toFailure } from '../errors.js'
import { marked } from './former.js'
import { ruleNotFound } from '../alerts/rules/book.js'
import { queryNotFound } from '../queries/saved.js'
import { importNotFound, jobNotFound, type Reach, workloadNotFound } from './reach.js'

export interface Scope {
  /** In one sentence, for people. */
  words: string
  /** Before the body is read. */
  early?: (reach: Reach, request: FastifyRequest) => void
  /** When the body is read and valid, before the handler. */
  late?: (reach: Reach, request: FastifyRequest) => void | Promise<void>
}

interface Named {
  ns: string
  set?: string
  /** A set, as YCSB calls it. */
  table?: string
  id?: string
  jobId?: string
}

const named = ({ params }: FastifyRequest): Named => params as Named
const idOf = (request: FastifyRequest): string => named(request).jobId ?? named(request).id ?? ''

export const SCOPES = {
  none: { words: 'anything' },
  /** The engine of the request, or the handler, leaves out the rest. */
  each: { words: 'at least one set; it covers what the caller may see' },
  server: { words: 'the whole server', early: (reach) => reach.needServer() },
  namespace: { words: 'the namespace of the path', early: (reach, request) => reach.need(named(request).ns) },
  /** If the path names no set, the engine of the request asks. */
  set: {
    words: 'the set; without one in the request, the whole namespace',
    early: (reach, request) => {
      const { ns, set, table } = named(request)
      if (set === undefined && table === undefined) reach.needInside(ns)
      else reach.needSet(ns, set ?? table)
    },
  },
  body: { words: 'the namespace of the body', late: needBody },
  job: { words: 'the namespace of the job', late: (reach, request) => needJob(reach, request, jobNotFound) },
  import: { words: 'the set of the import', late: (reach, request) => needJob(reach, request, importNotFound) },
  workload: { words: 'the namespace of the run', late: needWorkload },
  query: { words: 'the namespace of the saved query', late: needQuery },
  queryAndBody: { words: 'the namespaces of the saved query and of the body', late: both(needQuery) },
  rule: { words: 'the namespace of the rule', late: needRule },
  ruleAndBody: { words: 'the namespaces of the rule and of the body', late: both(needRule) },
} as const satisfies Record<string, Scope>

export type ScopeName = keyof typeof SCOPES

/** What can be told of a request before its body is read. @throws `namespace_not_found`, `role_required` */
export function checkEarly(scope: Scope, reach: Reach, request: FastifyRequest): void {
  if (scope.early !== undefined) scope.early(reach, request)
  else if (scope !== SCOPES.none) reach.needAnywhere()
}

/** Without a namespace, what the body asks for is of the whole server. */
function needBody(reach: Reach, { body }: FastifyRequest): void {
  reach.need((body as { namespace?: string }).namespace)
}

function both(first: (reach: Reach, request: FastifyRequest) => void) {
  return (reach: Reach, request: FastifyRequest): void => {
    first(reach, request)
    needBody(reach, request)
  }
}

function needJob(reach: Reach, request: FastifyRequest, notFound: (id: string) => Error): void {
  const job = found(() => request.server.engine.job(idOf(request)))
  if (job !== undefined && reach.job(job)) return
  if (job !== undefined && reach.reader.job(job)) reach.need(job.namespace)
  throw notFound(idOf(request))
}

async function needWorkload(reach: Reach, request: FastifyRequest): Promise<void> {
  const run = await request.server.engine.workload(idOf(request)).catch(orNothing)
  const thing = run && { namespace: run.spec.namespace, ...(run.former && { former: run.former }) }
  needThing(reach, thing, () => workloadNotFound(idOf(request)))
}

function needQuery(reach: Reach, request: FastifyRequest): void {
  const query = request.server.queries.saved.list().find(({ id }) => id === idOf(request))
  needThing(reach, query && marked(request.server.engine, query), () => queryNotFound(idOf(request)))
}

function needRule(reach: Reach, request: FastifyRequest): void {
  const rule = request.server.alerts.rules.list().find(({ id }) => id === idOf(request))
  needThing(reach, rule && marked(request.server.engine, rule), () => ruleNotFound(idOf(request)))
}

/** What the caller does not see is refused as what does not exist. */
function needThing(
  reach: Reach,
  thing: { namespace?: string; former?: true } | undefined,
  notFound: () => Error,
): void {
  if (thing === undefined || !reach.reader.sees(thing)) throw notFound()
  reach.need(thing.namespace)
}

function found<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return orNothing(error)
  }
}

/** @throws what is no sign that a thing does not exist */
function orNothing(error: unknown): undefined {
  const { code } = toFailure(error)
  if (code !== 'job_not_found' && code !== 'workload_not_found') throw error
}
