// Serves the console: hashed assets are cached forever, the page never. Every address of the console answers the page.
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { existsSync, readdirSync } from 'node:fs'
import { relative, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { loginRoute } from './login.js'
import { oidcRoutes } from './oidc.js'

/** Where `npm run build` puts the console. */
export const consoleRoot = fileURLToPath(new URL('../../../web/dist', import.meta.url))

const PAGE = 'index.html'
/** Other forms of a file, beside it. */
const COMPRESSED = /\.(br|gz)$/
/** Addresses that are not pages of the console. */
const NO_PAGE = /^\/(api\/|v[12](\/|$)|assets\/)/

export async function serveConsole(scope: App, root: string): Promise<void> {
  const built = existsSync(join(root, PAGE))
  const files = new Set(built ? listFiles(root) : [])
  // The build has compressed what is worth it.
  if (built) await scope.register(fastifyStatic, { root, serve: false, preCompressed: true })
  else scope.log.warn('the console is not built; run npm run build')

  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (built && !NO_PAGE.test(request.url)) return reply.sendFile(PAGE, { maxAge: 0 })
    throw new GatewayError('route_not_found', `there is no route ${request.method} ${request.url.split('?')[0] ?? ''}`)
  }

  scope.get('/*', { compress: false, config: { public: true }, schema: { hide: true } }, (request, reply) => {
    const path = (request.params as { '*': string })['*']
    if (!files.has(path) || path === PAGE) return sendPage(request, reply)
    return reply.sendFile(path, path.startsWith('assets/') ? { maxAge: '365d', immutable: true } : { maxAge: 0 })
  })
  loginRoute(scope, sendPage)
  oidcRoutes(scope)
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !COMPRESSED.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}
