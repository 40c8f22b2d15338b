// Methods that a known path has no route for: OPTIONS answers which there are, all others 405 with Allow, not 404.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { METHODS } from './wire-errors.js'
import { say } from '../sentences/sentence.js'

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Collects the routes registered after this call. `refuseOthers` then answers the methods that they do not have. */
export function collectMethods(app: App): { refuseOthers: () => void } {
  const byPath = new Map<string, Set<string>>()
  let collecting = true
  app.addHook('onRoute', ({ url, method }) => {
    if (!collecting || url.includes('*')) return
    const methods = byPath.get(url) ?? new Set()
    byPath.set(url, methods)
    for (const one of [method].flat()) methods.add(one)
  })
  return {
    refuseOthers: () => {
      collecting = false
      for (const [url, methods] of byPath) answerOthers(app, url, methods)
    },
  }
}

/** Answers at `url` all methods but those that it has; whoever asks, because the document of the API is no secret. */
export function answerOthers(app: App, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  const route = { url, schema: { hide: true }, config: { public: true }, handler: () => undefined }
  app.route({ ...route, method: 'OPTIONS', onRequest: tellMethods(allow) })
  const method = METHODS.filter((one) => one !== 'OPTIONS' && !methods.has(one) && app.supportedMethods.includes(one))
  app.route({ ...route, method, onRequest: refuse(allow) })
}

/** Answers what no route has: 404, or for a page of the console the methods that it has. */
export function answerUnknown(app: App, isPage: (url: string) => boolean): void {
  const allow = 'GET, HEAD, OPTIONS'
  const answer: Hook = (request, reply, done) => {
    const { method, url } = request
    if (!isPage(url) || method === 'GET' || method === 'HEAD')
      return done(
        new GatewayError(
          'route_not_found',
          say('there is no route {method} {path}', { method, path: url.split('?')[0] ?? '' }),
        ),
      )
    return (method === 'OPTIONS' ? tellMethods : refuse)(allow)(request, reply, done)
  }
  // Before Fastify judges a body that nobody reads.
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? answer(request, reply, done) : done()))
  app.setNotFoundHandler((request, reply) => answer(request, reply, (error) => reply.send(error)))
}

const tellMethods =
  (allow: string): Hook =>
  (_request, reply) => {
    void reply.code(204).header('allow', allow).send()
  }

const refuse =
  (allow: string): Hook =>
  ({ method }, _reply, done) => {
    const message = say('the method must be one of {allow}, got {given}', { allow, given: method })
    done(new GatewayError('method_not_allowed', message, { headers: { allow } }))
  }
