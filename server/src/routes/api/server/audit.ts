// The audit log: entries, the lines themselves, and whether they are what was written.
import { Type } from 'typebox'
import { abortOnClose, sendLines } from '../../../answers/record-stream.js'
import type { App } from '../../../app-types.js'
import { type Entry, exportOf, readNewest } from '../../../audit/read.js'
import { verifyLog } from '../../../audit/verify.js'
import { GatewayError } from '../../../errors.js'
import { momentMs } from '../../../requests/moment.js'
import { type AuditEntry, AuditPage, AuditQuery, AuditReport, AuditVerifyQuery } from '../../../schemas/server/audit.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['audit']
const LIMIT_DEFAULT = 100

export function auditRoutes(app: App): void {
  const { audit, gate } = app
  const pause = (bytes: number): Promise<void> | undefined => gate.giveWay(bytes)
  let verifying = false

  app.get(
    '/audit',
    {
      schema: {
        operationId: 'listAudit',
        tags,
        summary: 'List entries of the audit log',
        description:
          'Answers who did what, newest first. A page can have fewer entries than `limit`, or none, though older ' +
          'ones follow: see `truncated`.',
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    async ({ query: { limit = LIMIT_DEFAULT, cursor, from, to, ...equal } }) => {
      const [fromMs, toMs] = [
        from === undefined ? -Infinity : momentMs(from),
        to === undefined ? Infinity : momentMs(to),
      ]
      if (fromMs >= toMs)
        throw new GatewayError(
          'field_invalid',
          say('from must be before to, got {from} and {to}', { from: from ?? '', to: to ?? '' }),
          { field: 'from' },
        )
      const wanted = Object.entries(equal)
      const matches = (entry: Entry): boolean => {
        const ms = Date.parse(entry.at)
        return ms >= fromMs && ms < toMs && wanted.every(([fact, value]) => entry[fact] === value)
      }
      const { items, cursor: next } = await readNewest(audit, { limit, cursor, matches, pause })
      return {
        items: items as AuditEntry[],
        truncated: next !== undefined,
        ...(next !== undefined && { cursor: next }),
        limit,
        head: { ...audit.position().kept, bytes: audit.totalBytes },
      }
    },
  )

  app.get(
    '/audit/export',
    {
      exposeHeadRoute: false,
      config: { produces: ['application/x-ndjson', 'application/octet-stream'] },
      schema: {
        operationId: 'exportAudit',
        tags,
        summary: 'Export the audit log',
        description:
          'Streams all lines of the log, oldest first, as they are in its files. `docs/audit.md` says how to verify them.',
        response: {
          200: {
            description: 'The lines.',
            content: {
              'application/x-ndjson': {
                schema: Type.String({
                  description: 'One entry per line.',
                  examples: ['{"seq":1,"at":"2026-01-31T12:00:00.000Z","prev":"00…","kind":"segment","hash":"f2…"}\n'],
                }),
              },
            },
          },
        },
      },
    },
    async (_request, reply) => {
      const stream = await app.streams.open(reply, () => exportOf(audit))
      reply.raw.once('close', stream.abort)
      return sendLines(reply, { ...stream, summary: () => audit.position().kept })
    },
  )

  app.get(
    '/audit/verify',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'verifyAudit',
        tags,
        summary: 'Verify the audit log',
        description:
          'Reads all files, and answers the first line that is not what was written, is missing or is in another ' +
          'place. With `head`, an entry must have this hash. One at a time; others are refused with `audit_busy`. ' +
          'It ends if you stop waiting.',
        querystring: AuditVerifyQuery,
        response: { 200: AuditReport },
      },
    },
    async ({ query: { head } }, reply) => {
      if (verifying) throw new GatewayError('audit_busy', say('another verification is running; wait for its end'))
      verifying = true
      const stop = new AbortController()
      abortOnClose(reply, { abort: () => stop.abort() })
      try {
        const until = audit.position()
        return await audit.reading(() =>
          verifyLog(audit.directory, { until, pause, signal: stop.signal, ...(head !== undefined && { head }) }),
        )
      } finally {
        verifying = false
      }
    },
  )
}
