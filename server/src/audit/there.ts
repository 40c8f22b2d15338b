// What a change is about must be there. If it is not, nothing is announced: the refusal is one entry, and the same again is
// counted. So nobody fills the log with names that do not exist.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import { namespaceNotFound } from '../auth/reach.js'
import { errorTable } from '../error-table.js'
import { toFailure } from '../errors.js'

/** Things that no settings are recorded of, by the operations that change them. */
const THINGS: Readonly<Record<string, (app: App, id: string, ns: string) => unknown>> = {
  replaceQuery: ({ queries }, id) => queries.saved.get(id),
  removeQuery: ({ queries }, id) => queries.saved.get(id),
  resumeImport: ({ uploads }, id) => uploads.progress(id),
  endImport: ({ uploads }, id) => uploads.progress(id),
  restoreConfigRevision: ({ engine, revisions }, id, ns) =>
    revisions.inTurn(ns, async () => revisions.get(await engine.namespace(ns), Number(id))),
  restoreServerRevision: ({ settings }, id) => settings.revision(Number(id)),
}

/** Operations that take what is missing for done, or make it. */
const TAKES_MISSING = /^(create|set|deleteCompatible)/

interface Named {
  ns?: string
  id?: string
  jobId?: string
  revision?: number
}

/** @throws `namespace_not_found` and others with the status 404, as the operation itself would */
export async function checkThere(app: App, operation: string, request: FastifyRequest): Promise<void> {
  const { ns, id, jobId, revision } = (request.params ?? {}) as Named
  if (ns !== undefined && !app.engine.namespaceNames().includes(ns)) throw namespaceNotFound(ns)
  try {
    await THINGS[operation]?.(app, id ?? jobId ?? String(revision ?? ''), ns ?? '')
  } catch (error) {
    rethrowMissing(operation, error)
  }
}

/** Throws on that a thing of the path is missing. Other failures are left to the operation. */
export function rethrowMissing(operation: string, error: unknown): void {
  if (errorTable[toFailure(error).code].status === 404 && !TAKES_MISSING.test(operation)) throw error
}
