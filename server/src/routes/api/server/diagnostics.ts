// GET /api/v1/diagnostics: what somebody who looks into a fault has to know, in one file.
import type { App } from '../../../app-types.js'
import { sendLines } from '../../../answers/record-stream.js'
import { partsOf } from '../../../diagnostics/parts.js'
import { DiagnosticPart } from '../../../schemas/server/diagnostics.js'

export function diagnosticsRoutes(app: App): void {
  app.get(
    '/diagnostics',
    {
      exposeHeadRoute: false,
      config: { produces: ['application/x-ndjson'], vital: true },
      schema: {
        operationId: 'getDiagnostics',
        tags: ['status'],
        summary: 'Read the diagnostics',
        description:
          'Streams what somebody who looks into a fault has to know: versions, settings, status, namespaces, the newest ' +
          '100 jobs, the slowest 100 operations, metrics and the last 500 lines of the log. It has no data of records and ' +
          'no secrets, but names of namespaces, sets, users and files.',
        response: {
          200: {
            description: 'One part per line.',
            content: { 'application/x-ndjson': { schema: DiagnosticPart } },
          },
        },
      },
    },
    (_request, reply) => {
      const parts = partsOf(app)
      const next = async (): Promise<Buffer | null> => {
        const { value, done } = await parts.next()
        return done === true ? null : Buffer.from(`${JSON.stringify(value)}\n`)
      }
      return sendLines(reply, { next, abort: () => void parts.return(undefined), summary: () => ({}) })
    },
  )
}
