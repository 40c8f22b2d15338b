// A browser without a session gets the sign-in page, and after it the page that it asked for. A program gets the problem.
import type { FastifyError } from 'fastify'
import type { App } from '../app-types.js'
import { sendProblem, toFailure } from '../errors.js'

export function leadToSignIn(scope: App): void {
  scope.setErrorHandler<FastifyError>((error, request, reply) => {
    const isBrowser = request.headers.accept?.includes('text/html') === true
    if (!isBrowser || toFailure(error).code !== 'auth_required') return sendProblem(error, request, reply)
    return reply.header('cache-control', 'no-store').redirect(`/login?next=${encodeURIComponent(request.url)}`, 303)
  })
}
