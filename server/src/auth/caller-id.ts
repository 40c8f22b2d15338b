// Tells callers apart for good. Their names are given again: those of users, of API tokens, and of people at a provider.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

const LENGTH = 32

/** One for the administrator token and all its sessions. @throws GatewayError `user_not_found` if the user is removed */
export function callerId({ who, apiToken, session, server }: FastifyRequest): string {
  const { user, person } = session ?? {}
  if (user !== undefined) return userId(server.users.get(user.name))
  if (apiToken !== undefined) return tokenId(apiToken)
  if (person !== undefined) return idOfSubject(person.subject)
  return idOf(who === 'local' ? 'local' : 'administrator', '')
}

export const userId = ({ name, createdAt }: { name: string; createdAt: string }): string =>
  idOf('user', `${name}\n${createdAt}`)

export const tokenId = ({ id }: { id: string }): string => idOf('token', id)

/** Somebody whom a provider has signed in. */
export const idOfSubject = (subject: string): string => idOf('person', subject)

/** A name of a file, too: nothing of a caller can be read from it. */
const idOf = (kind: string, own: string): string =>
  createHash('sha256').update(`${kind}\n${own}`).digest('hex').slice(0, LENGTH)
