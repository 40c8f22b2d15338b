// API tokens: made, listed and revoked by administrators.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { tokenId } from '../../../auth/caller-id.js'
import { freshFirst } from '../../../auth/fresh.js'
import { forgetOpen } from '../../../queries/keep.js'
import { pageOf } from '../../../requests/page.js'
import { PageQuery } from '../../../schemas/pages.js'
import { ApiToken, ApiTokenPage, ApiTokenPatch, ApiTokenSpec, NewApiToken } from '../../../schemas/server/tokens.js'
import { Id } from '../../../schemas/words.js'

const tags = ['auth']
const params = Type.Object({ id: Id('Id of the token.', '0mwuurgcxcbe8f5') })

export function tokenRoutes(app: App): void {
  const { apiTokens } = app

  app.get(
    '/tokens',
    {
      schema: {
        operationId: 'listTokens',
        tags,
        summary: 'List API tokens',
        description:
          'Answers API tokens, newest first, without their secrets. Those that have expired stay until revoked.',
        querystring: PageQuery,
        response: { 200: ApiTokenPage },
      },
    },
    ({ query }) => pageOf(apiTokens.list(), query, ({ id }) => id),
  )

  app.post(
    '/tokens',
    {
      preHandler: freshFirst,
      schema: {
        operationId: 'createToken',
        tags,
        summary: 'Create an API token',
        description:
          'Makes a token for a program, and answers it once: only its hash is kept. Each of its `grants` is a role, for the ' +
          'whole server, a namespace or some of its sets. A program sends it as ' +
          '`Authorization: Bearer <token>`. A second one of the same name is refused with `token_exists`, and one ' +
          'more than 1,000 with `token_limit`. A browser needs a sign-in of the last 5 minutes ' +
          '(`TESSERA_SESSION_FRESH`): otherwise it is refused with `sign_in_again`.',
        body: ApiTokenSpec,
        response: { 201: NewApiToken },
      },
    },
    async (request, reply) => {
      const { token, made } = await apiTokens.create(request.body, request.who)
      void reply.code(201).header('location', `/api/v1/tokens/${made.id}`)
      return { ...made, token }
    },
  )

  app.get(
    '/tokens/:id',
    {
      schema: {
        operationId: 'getToken',
        tags,
        summary: 'Show an API token',
        description: 'Answers name, grants and times of a token.',
        params,
        response: { 200: ApiToken },
      },
    },
    ({ params: { id } }) => apiTokens.get(id),
  )

  app.patch(
    '/tokens/:id',
    {
      config: { merge: ({ params: of }) => ({ limits: apiTokens.get((of as { id: string }).id).limits }) },
      schema: {
        operationId: 'updateToken',
        tags,
        summary: "Change an API token's limits",
        description:
          'Changes how much a token may ask for, from its next request on. Its grants stay as they were made.',
        params,
        body: ApiTokenPatch,
        response: { 200: ApiToken },
      },
    },
    ({ params: { id }, body }) => apiTokens.change(id, body),
  )

  app.delete(
    '/tokens/:id',
    {
      schema: {
        operationId: 'revokeToken',
        tags,
        summary: 'Revoke an API token',
        description:
          'Ends a token at once: it is refused with `auth_invalid`, and its live streams end. An answer that is under ' +
          'way is sent to its end.',
        params,
        response: { 200: ApiToken },
      },
    },
    async ({ params: { id } }) => {
      const token = await apiTokens.revoke(id)
      await forgetOpen(app, tokenId(token))
      return token
    },
  )
}
