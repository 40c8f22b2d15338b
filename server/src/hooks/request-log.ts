// One line per request, if the settings ask for it: who did what, how it ended, how long it took. It has no path: paths have keys.
import type { App } from '../app-types.js'

export function logRequests(app: App): void {
  const { config } = app
  app.addHook('onResponse', (request, reply, done) => {
    if (config.logRequests && !request.elsewhere) {
      request.log.info(
        {
          caller: request.who,
          operation: request.routeOptions.schema?.operationId ?? 'none',
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 1000) / 1000,
          ...(request.trace !== undefined && { traceId: request.trace.id }),
          ...(request.failure !== undefined && { code: request.failure }),
          ...(!reply.raw.writableFinished && { aborted: true }),
        },
        'request',
      )
    }
    done()
  })
}
