// Liveness and readiness, outside of /api.
import type { App } from '../app-types.js'
import { Liveness, Readiness } from '../schemas/server/status.js'

export function healthRoutes(app: App): void {
  app.get(
    '/healthz',
    {
      config: { public: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['status'],
        summary: 'Check that the process is alive',
        description: 'Answers 200 as long as the process runs. It needs no credentials and touches no data.',
        response: { 200: Liveness },
      },
    },
    () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { public: true, named: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['status'],
        summary: 'Check that the server can take requests',
        description:
          'Answers 200 if every namespace that can be opened is open and takes writes, else 503 with the ' +
          'reasons. Once the server is told to stop, it answers 503. A namespace that failed to open does not count. It needs no credentials. With some, it names what ' +
          'the caller may see.',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (request, reply) => {
      if (app.stop.begun)
        return reply
          .code(503)
          .header('retry-after', '1')
          .send({ ready: false, state: 'stopping', reasons: ['the server is stopping'], progress: [] })
      const { healthy, recovering, dataDirectoryFailure, notices } = await app.engine.status()
      // A namespace that could not be opened needs a person. It must not take the others out of service.
      const served = notices.every(({ state }) => state === 'ready' || state === 'failed')
      const ready = !recovering && served && dataDirectoryFailure === undefined
      const state = recovering ? 'starting' : healthy ? 'ready' : 'degraded'
      if (!ready) reply.header('retry-after', '1')
      const { reasons, progress } = await request.engine.status()
      return reply.code(ready ? 200 : 503).send({ ready, state, reasons, progress })
    },
  )
}
