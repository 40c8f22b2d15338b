// Users: made, changed and removed by administrators.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { userId } from '../../../auth/caller-id.js'
import { freshFirst, requireFresh } from '../../../auth/fresh.js'
import { forgetOpen } from '../../../queries/keep.js'
import { pageOf } from '../../../requests/page.js'
import { PageQuery } from '../../../schemas/pages.js'
import { User, UserPage, UserPatch, UserSpec } from '../../../schemas/server/users.js'
import { UserName } from '../../../schemas/words.js'

const tags = ['auth']
const params = Type.Object({ name: UserName })

const FRESH =
  'A browser needs a sign-in of the last 5 minutes (`TESSERA_SESSION_FRESH`): otherwise it is refused with ' +
  '`sign_in_again`.'

export function userRoutes(app: App): void {
  const { users, sessions } = app

  app.get(
    '/users',
    {
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users',
        description: 'Answers users by name, with their grants and when they last signed in.',
        querystring: PageQuery,
        response: { 200: UserPage },
      },
    },
    ({ query }) => pageOf(users.list(), query, ({ name }) => name),
  )

  app.post(
    '/users',
    {
      preHandler: freshFirst,
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Makes a user who signs in with a password, of which only a hash is kept. A second one of the same name is ' +
          'refused with `user_exists`; case does not count. One more than 1,000 is refused with `user_limit`. ' +
          FRESH,
        body: UserSpec,
        response: { 201: User },
      },
    },
    async (request, reply) => {
      const made = await users.create(request.body, request.who)
      void reply.code(201).header('location', `/api/v1/users/${encodeURIComponent(made.name)}`)
      return made
    },
  )

  app.get(
    '/users/:name',
    {
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'Show a user',
        description: 'Answers grants and times of a user.',
        params,
        response: { 200: User },
      },
    },
    ({ params: { name } }) => users.get(name),
  )

  app.patch(
    '/users/:name',
    {
      config: { merge: ({ params: of }) => ({ limits: users.get((of as { name: string }).name).limits }) },
      preHandler: async (request) => {
        const { grants, password } = request.body as UserPatch
        if (grants !== undefined || password !== undefined) requireFresh(request)
      },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change a user',
        description:
          'Changes grants, limits, password or `disabled`. It holds at once: new grants for the next request, and a user who is ' +
          'disabled or has a new password is signed out. Live streams end and can be opened again. For other grants ' +
          'and a password: ' +
          FRESH,
        params,
        body: UserPatch,
        response: { 200: User },
      },
    },
    async ({ params: { name }, body }) => {
      const { password, disabled } = body
      const user = await users.change(name, body)
      if (password !== undefined || disabled === true) sessions.endOf(name)
      return user
    },
  )

  app.delete(
    '/users/:name/second-factor',
    {
      // What is not there is refused before the audit log announces its end.
      preHandler: async (request) => {
        users.needFactor((request.params as { name: string }).name)
        requireFresh(request)
      },
      schema: {
        operationId: 'removeUserSecondFactor',
        tags,
        summary: "Remove a user's second factor",
        description:
          'For a user who has lost the app and the recovery codes. The password alone signs in from then on, and the ' +
          'sessions of the user end. If the server demands a second factor, the next sign-in sets one up. ' +
          FRESH,
        params,
        response: { 200: User },
      },
    },
    async ({ params: { name }, session }) => {
      const user = await users.removeFactor(name)
      sessions.endOf(name, session)
      return app.keptSessions.written().then(() => user)
    },
  )

  app.delete(
    '/users/:name',
    {
      schema: {
        operationId: 'removeUser',
        tags,
        summary: 'Remove a user',
        description:
          'Removes a user and ends the sessions of this user at once. The queries that the user had open in the console ' +
          'go too. API tokens that the user has made stay.',
        params,
        response: { 200: User },
      },
    },
    async ({ params: { name } }) => {
      const user = await users.remove(name)
      sessions.endOf(name)
      await forgetOpen(app, userId(user))
      return user
    },
  )
}
