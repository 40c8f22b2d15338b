// GET /api/v1/live: server-sent events, one frame per second.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { App } from '../../../app-types.js'
import { lacksFactor } from '../../../auth/second-factor-demand.js'
import { grantsOfSession } from '../../../auth/session-grants.js'
import { GatewayError } from '../../../errors.js'
import { CLIENTS_MAX } from '../../../live/feed.js'
import { nameList } from '../../../requests/name-list.js'
import { LiveFrame, LiveQuery, type LiveTopic, liveTopics } from '../../../schemas/server/metrics.js'
import { say } from '../../../sentences/sentence.js'

export function liveRoutes(app: App): void {
  app.get(
    '/live',
    {
      exposeHeadRoute: false,
      config: { produces: ['text/event-stream'], automatic: true },
      schema: {
        operationId: 'live',
        tags: ['metrics'],
        summary: 'Stream live metrics',
        description:
          'Sends a server-sent event named `frame` once a second. Read it with `EventSource` or `curl -N`. A ' +
          'client that does not keep up misses frames and is disconnected in the end: once the operating system has no ' +
          'more room for what it does not read, or, on Linux and with 100 clients or more, after ' +
          '`TESSERA_READER_PATIENCE`. At most 200 clients are served; a console stream ends with its session, ' +
          'which it does not keep alive, and when the grants of its user change. The last event is then named `end` and ' +
          'has `code` and `message`, also when the server stops.',
        querystring: LiveQuery,
        response: {
          200: {
            description: 'One `frame` event per second.',
            content: { 'text/event-stream': { schema: LiveFrame } },
          },
        },
      },
    },
    (request, reply) => {
      const topics = readTopics(request.query.topics)
      const { namespace } = request.query
      if (app.feed.size >= CLIENTS_MAX)
        throw new GatewayError(
          'too_many_streams',
          say('all {count} live streams are in use; wait until one ends', { count: CLIENTS_MAX }),
        )
      app.feed.join(open(reply), { topics, namespace, reach: request.reach }, credentialsEnd(app, request))
    },
  )
}

/** Returns a function that says whether the session or the API token of the request has ended, or has other grants. */
function credentialsEnd(app: App, { apiToken, session, grants }: FastifyRequest): () => boolean {
  if (apiToken !== undefined) return app.apiTokens.watch(apiToken)
  if (session === undefined) return () => false
  return () => {
    const now = grantsOfSession(app, session)
    return app.sessions.hasEnded(session) || now === undefined || now !== grants || lacksFactor(app, session, now)
  }
}

/** Takes the response over from Fastify, with the headers that hooks have set. */
function open(reply: FastifyReply): ServerResponse {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // The stream ends with its connection.
    connection: 'close',
  })
  reply.raw.flushHeaders()
  return reply.raw
}

function readTopics(text: string | undefined): ReadonlySet<LiveTopic> {
  if (text === undefined) return new Set(liveTopics)
  return new Set(
    nameList(text).map((name) => {
      const topic = liveTopics.find((candidate) => candidate === name)
      if (topic === undefined) {
        throw new GatewayError(
          'field_invalid',
          say('topics must be a list of {names}, got {given}', {
            names: liveTopics.join(', '),
            given: name.slice(0, 40),
          }),
          {
            field: 'topics',
          },
        )
      }
      return topic
    }),
  )
}
