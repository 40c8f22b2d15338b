// GET /api/v1/live: server-sent events, one frame per second.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { App } from '../../../app-types.js'
import { sessionIn } from '../../../auth/credentials.js'
import { GatewayError } from '../../../errors.js'
import { CLIENTS_MAX } from '../../../live/feed.js'
import { nameList } from '../../../requests/name-list.js'
import { LiveFrame, LiveQuery, type LiveTopic, liveTopics } from '../../../schemas/server/metrics.js'

export function liveRoutes(app: App): void {
  app.get(
    '/live',
    {
      exposeHeadRoute: false,
      config: { produces: ['text/event-stream'] },
      schema: {
        operationId: 'live',
        tags: ['metrics'],
        summary: 'Stream live metrics',
        description:
          'Sends a server-sent event named `frame` once a second. Read it with `EventSource` or `curl -N`. A ' +
          'client that does not keep up misses frames and is disconnected in the end: once the operating system has no ' +
          'more room for what it does not read, or, on Linux and with 100 clients or more, after ' +
          '`TESSERA_READER_PATIENCE`. At most 200 clients are served; a console stream ends with its session.',
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
        throw new GatewayError('too_many_streams', `all ${CLIENTS_MAX} live streams are in use; wait until one ends`)
      app.feed.join(open(reply), { topics, namespace }, sessionEnd(app, request))
    },
  )
}

/** Returns a function that says whether the session of the request has ended. */
function sessionEnd(app: App, request: FastifyRequest): () => boolean {
  const session = request.who === 'console' ? sessionIn(request.headers) : null
  if (session === null) return () => false
  return app.access.watch(session)
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
          `topics must be a list of ${liveTopics.join(', ')}, got ${name.slice(0, 40)}`,
          {
            field: 'topics',
          },
        )
      }
      return topic
    }),
  )
}
