// Sessions of browsers: everybody sees and ends their own, administrators all.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { requireFresh } from '../../../auth/fresh.js'
import { everywhere, NOTHING } from '../../../auth/grants.js'
import { grantsOfSession } from '../../../auth/session-grants.js'
import { isOfSame, nameOfOwner, type Session, wayOf } from '../../../auth/sessions.js'
import { GatewayError } from '../../../errors.js'
import { pageOf } from '../../../requests/page.js'
import { PageQuery } from '../../../schemas/pages.js'
import { SessionInfo, SessionPage } from '../../../schemas/server/sessions.js'
import { Id } from '../../../schemas/words.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['auth']
const params = Type.Object({ id: Id('Id of the session.', '0mwuurgcxcbe8f5') })

export function sessionRoutes(app: App): void {
  const { sessions } = app

  const seenBy = ({ grants = NOTHING, session: own }: FastifyRequest): Session[] => {
    const all = sessions.list()
    if (everywhere(grants, 'admin')) return all
    return all.filter(
      (each) => each === own || (own !== undefined && nameOfOwner(own) !== undefined && isOfSame(each, own)),
    )
  }

  const find = (request: FastifyRequest): Session => {
    const { id } = request.params as { id: string }
    const found = seenBy(request).find((session) => session.id === id)
    if (found === undefined)
      throw new GatewayError('session_not_found', say('there is no session "{id}"', { id: id.slice(0, 32) }), {
        field: 'id',
      })
    return found
  }

  const shown = (session: Session, { session: own }: FastifyRequest, user = nameOfOwner(session)): SessionInfo => ({
    id: session.id,
    ...(user !== undefined && { user }),
    signedInWith: wayOf(session),
    grants: [...(grantsOfSession(app, session) ?? NOTHING).list],
    createdAt: new Date(session.createdAtMs).toISOString(),
    lastUsedAt: new Date(session.usedAtMs).toISOString(),
    expiresAt: new Date(sessions.endMs(session)).toISOString(),
    ...(session.address !== undefined && { address: session.address }),
    ...(session.userAgent !== undefined && { userAgent: session.userAgent }),
    current: session === own,
  })

  app.get(
    '/sessions',
    {
      schema: {
        operationId: 'listSessions',
        tags,
        summary: 'List sessions',
        description: 'Answers your own sessions, newest first; with the role `admin`, all sessions.',
        querystring: PageQuery,
        response: { 200: SessionPage },
      },
    },
    (request) => {
      const all = seenBy(request).map((session) => shown(session, request))
      return pageOf(all, request.query, ({ id }) => id)
    },
  )

  app.delete(
    '/sessions/:id',
    {
      // What is not there is refused before the audit log announces its end.
      preHandler: async (request) => {
        if (find(request) !== request.session) requireFresh(request)
      },
      schema: {
        operationId: 'endSession',
        tags,
        summary: 'End a session',
        description:
          'Ends one of your own sessions, or any with the role `admin`, at once. Its live streams end. An answer that ' +
          'is under way is sent to its end. To end a session other than its own, a browser needs a sign-in of the last 5 ' +
          'minutes (`TESSERA_SESSION_FRESH`): otherwise it is refused with `sign_in_again`.',
        params,
        response: { 200: SessionInfo },
      },
    },
    (request) => {
      const found = find(request)
      const answer = shown(found, request)
      sessions.end(found)
      return app.keptSessions.written().then(() => answer)
    },
  )
}
