// Serves the console: hashed assets are cached forever, the page never. Every address of the console answers the page.
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { bodyEtag } from '../requests/etag.js'
import { loginRoute } from './login.js'
import { oidcLogoutRoute } from './oidc-logout.js'
import { oidcRoutes } from './oidc.js'
import { say } from '../sentences/sentence.js'

/** Where `npm run build` puts the console. */
export const consoleRoot = fileURLToPath(new URL('../../../web/dist', import.meta.url))

const PAGE = 'index.html'
/** Other forms of a file, beside it. */
const COMPRESSED = /\.(br|gz)$/
/** Addresses that are not pages of the console. */
const NO_PAGE = /^\/(api\/|v[12](\/|$)|assets\/)/

export async function serveConsole(scope: App, root: string): Promise<void> {
  const built = existsSync(join(root, PAGE))
  const all = built ? listFiles(root) : []
  const known = new Set(all)
  const files = new Set(all.filter((path) => !COMPRESSED.test(path)))
  /** Made when a file is first sent: to read all of them would make a start longer. */
  const hashes = new Map<string, string>()
  const hashAll = async (path: string): Promise<void> => {
    const forms = [path, `${path}.br`, `${path}.gz`].filter((form) => known.has(form)).map((form) => join(root, form))
    for (const form of forms) if (!hashes.has(form)) hashes.set(form, await hashOf(form).catch(() => ''))
  }
  // The build has compressed what is worth it. `answerNotModified` compares the tags.
  if (built)
    await scope.register(fastifyStatic, {
      root,
      serve: false,
      preCompressed: true,
      etag: false,
      lastModified: false,
      // Nobody resumes files of this size, and a range would need the tag as well.
      acceptRanges: false,
      setHeaders: (answer, path, { mtimeMs, size }) => {
        // The time alone is no tag: packages give all releases the same. The hash alone is that of the first answer.
        const state = [hashes.get(path) ?? '', Math.round(mtimeMs).toString(36), size.toString(36)].join('-')
        answer.setHeader('etag', `"${state}"`)
      },
    })
  else scope.log.warn('the console is not built; run npm run build')

  const { basePath } = scope.config
  const moved = built && basePath !== '' ? pageBelow(basePath, readFileSync(join(root, PAGE), 'utf8')) : undefined

  const send = async (reply: FastifyReply, path: string): Promise<FastifyReply> => {
    await hashAll(path)
    // Conditions of a change: the plugin would fail on them.
    for (const name of ['if-match', 'if-unmodified-since']) delete reply.request.raw.headers[name]
    return reply
      .header('vary', 'accept-encoding')
      .sendFile(path, path.startsWith('assets/') ? { maxAge: '365d', immutable: true } : { maxAge: 0 })
  }

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (moved !== undefined && isPage(request.url)) return reply.headers(moved.headers).send(moved.body)
    if (built && isPage(request.url)) return send(reply, PAGE)
    throw new GatewayError(
      'route_not_found',
      say('there is no route {method} {path}', { method: request.method, path: request.url.split('?')[0] ?? '' }),
    )
  }

  scope.get('/*', { compress: false, config: { public: true }, schema: { hide: true } }, (request, reply) => {
    const path = (request.params as { '*': string })['*']
    return files.has(path) && path !== PAGE ? send(reply, path) : sendPage(request, reply)
  })
  loginRoute(scope, sendPage)
  oidcRoutes(scope)
  oidcLogoutRoute(scope)
}

/** The page as it is for browsers that reach the server below a path: its files, and what it calls, are there too. */
function pageBelow(base: string, page: string): { headers: Record<string, string>; body: string } {
  const body = page.replaceAll(/\b(href|src)="\//g, `$1="${base}/`).replace('data-base=""', `data-base="${base}"`)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    etag: bodyEtag(body),
    'cache-control': 'public, max-age=0',
  }
  return { headers, body }
}

/** Whether an address is one of the console, which shows its page for all that it does not know, too. */
export const isPage = (url: string): boolean => !NO_PAGE.test(url)

const hashOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('base64url')
    .slice(0, 16)

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
}
