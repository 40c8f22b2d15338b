// Users: made, changed and removed by administrators.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { userId } from '../../../auth/caller-id.js'
import { forgetOpen } from '../../../queries/keep.js'
import { pageOf } from '../../../requests/page.js'
import { PageQuery } from '../../../schemas/pages.js'
import { User, UserPage, UserPatch, UserSpec } from '../../../schemas/server/users.js'
import { UserName } from '../../../schemas/words.js'

const tags = ['auth']
const params = Type.Object({ name: UserName })

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
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user',
        description:
          'Makes a user who signs in with a password, of which only a hash is kept. A second one of the same name is ' +
          'refused with `user_exists`; case does not count. One more than 1,000 is refused with `user_limit`.',
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
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change a user',
        description:
          'Changes grants, limits, password or `disabled`. It holds at once: new grants for the next request, and a user who is ' +
          'disabled or has a new password is signed out. Live streams end and can be opened again.',
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
