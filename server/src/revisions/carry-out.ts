// Carries a planned change of settings out and notes its revision, or only answers the plan. Both only in turn.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { configEtag } from '../requests/etag.js'
import type { Namespace } from '../schemas/namespaces/namespaces.js'
import type { Noted } from './history.js'
import type { Plan } from './plan.js'
import { checkChange } from './rules.js'

/** The namespace as it would be. The ETag is that of its settings now, which a change may be made for. */
export function answerOfPlan(reply: FastifyReply, namespace: Namespace, { config, changes }: Plan): Namespace {
  checkChange(namespace, config)
  reply.header('etag', configEtag(namespace.config))
  return { ...namespace, config, changes }
}

interface Wanted {
  before: Namespace
  plan: Plan
  noted: Noted
}

export async function carryOut(
  { engine, params, server: { revisions } }: FastifyRequest,
  reply: FastifyReply,
  { before, plan: { patch, changes }, noted }: Wanted,
): Promise<Namespace> {
  const { ns } = params as { ns: string }
  await revisions.observe(before)
  const namespace = Object.keys(patch).length === 0 ? before : await engine.updateNamespace(ns, patch)
  await revisions.note(namespace, noted)
  reply.header('etag', configEtag(namespace.config))
  return { ...namespace, changes }
}
