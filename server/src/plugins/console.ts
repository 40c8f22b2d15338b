// The console's files: hashed assets for ever, the page itself fresh each time, and the page for every address of the console.
import fastifyStatic from '@fastify/static'
import { existsSync, readdirSync } from 'node:fs'
import { relative, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { GatewayError, toFailure } from '../errors.js'
import { redeemLogin } from '../routes/login.js'

/** Where `npm run build` puts the console. */
export const consoleRoot = fileURLToPath(new URL('../../../web/dist', import.meta.url))

const PAGE = 'index.html'
const DATA = /^\/(api|v1)(\/|$)/

export async function serveConsole(scope: App, root: string): Promise<void> {
  await scope.register(fastifyStatic, { root, serve: false })
  const files = new Set(existsSync(root) ? listFiles(root) : [])
  const config = { public: true }

  scope.get('/*', { config, schema: { hide: true } }, (request, reply) => {
    const path = (request.params as { '*': string })['*']
    if (files.has(path) && path !== PAGE) {
      const hashed = path.startsWith('assets/')
      return reply.sendFile(path, hashed ? { maxAge: '365d', immutable: true } : { maxAge: 0 })
    }
    const page = !DATA.test(request.url) && files.has(PAGE)
    if (!page) throw new GatewayError('route_not_found', `there is no ${request.url.split('?')[0] ?? ''}`)
    return reply.sendFile(PAGE, { maxAge: 0 })
  })

  const querystring = Type.Object({ code: Type.Optional(Type.String({ maxLength: 128 })) })
  scope.get('/login', { config, schema: { hide: true, querystring } }, (request, reply) => {
    const { code } = request.query
    if (code === undefined) return reply.sendFile(PAGE, { maxAge: 0 })
    try {
      return redeemLogin(code, request, reply)
    } catch (error) {
      // A person gets the sign-in page, which explains; a program gets the problem.
      if (!wantsPage(request.headers.accept)) throw error
      return reply.redirect(`/login?failed=${toFailure(error).code}`, 303)
    }
  })
}

const wantsPage = (accept: string | undefined): boolean => accept?.includes('text/html') === true

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}
