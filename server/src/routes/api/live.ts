// GET /api/v1/live: server-sent events, one frame a second.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { App } from '../../app-types.js'
import { sessionIn } from '../../auth/credentials.js'
import { GatewayError } from '../../errors.js'
import { nameList } from '../../rest/name-list.js'
import type { Job } from '../../schemas/jobs.js'
import {
  type LiveFrame as Frame,
  LiveFrame,
  LiveQuery,
  type LiveTopic,
  liveTopics,
  type MetricsFrame,
} from '../../schemas/metrics.js'

/** A client that has this much unread is dropped; EventSource comes back by itself. */
const UNREAD_MAX_BYTES = 1024 * 1024
const HEARTBEAT_MS = 15_000
const CLIENTS_MAX = 200

export function liveRoutes(app: App): void {
  const clients = new Set<ServerResponse>()

  app.addHook('preClose', (done) => {
    for (const client of clients) client.end()
    done()
  })

  app.get(
    '/live',
    {
      exposeHeadRoute: false,
      config: { produces: ['text/event-stream'] },
      schema: {
        operationId: 'live',
        tags: ['metrics'],
        summary: 'Server-sent events: one `frame` a second',
        description:
          'Read it with EventSource or `curl -N`. A client that does not keep up is dropped; a stream of the console ends with its session.',
        querystring: LiveQuery,
        response: { 200: { description: 'frames', content: { 'text/event-stream': { schema: LiveFrame } } } },
      },
    },
    (request, reply) => {
      const topics = readTopics(request.query.topics)
      const { namespace } = request.query
      if (clients.size >= CLIENTS_MAX)
        throw new GatewayError('too_many_streams', `${CLIENTS_MAX} streams are open already`)
      const response = open(reply)
      clients.add(response)

      const sessionEnded = watchSession(app, request)
      const send = (frame: MetricsFrame) => {
        // A frame later, what has not been read of an ended stream never will be.
        if (response.writableLength > UNREAD_MAX_BYTES || response.writableEnded) {
          response.destroy()
          return
        }
        if (sessionEnded()) {
          response.end()
          return
        }
        const body = JSON.stringify(select(frame, topics, namespace, () => runningJobs(app)))
        response.write(`event: frame\nid: ${frame.seq}\ndata: ${body}\n\n`)
      }
      if (app.live.latest !== undefined) send(app.live.latest)
      const unlisten = app.live.listen(send)
      const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS)
      response.once('close', () => {
        clearInterval(heartbeat)
        unlisten()
        clients.delete(response)
      })
    },
  )
}

/** Whether the session that a request came with, if it came with one, has ended since. */
function watchSession(app: App, request: FastifyRequest): () => boolean {
  const session = request.who === 'console' ? sessionIn(request.headers) : null
  return () => session !== null && app.access.sessionEnd(session) === null
}

/** Takes the response out of Fastify's hands, with the headers that hooks have set. */
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
        throw new GatewayError('field_invalid', `${name} is no topic; there are ${liveTopics.join(', ')}`, {
          field: 'topics',
        })
      }
      return topic
    }),
  )
}

const runningJobs = (app: App): Job[] => app.engine.jobs().filter((job) => job.endedAt === undefined)

function select(
  frame: MetricsFrame,
  topics: ReadonlySet<LiveTopic>,
  namespace: string | undefined,
  jobs: () => Job[],
): Frame {
  const { seq, time, durationMs, latency, process, memory, device, devices, marks } = frame
  const wanted = <T extends { namespace: string }>(parts: T[]): T[] =>
    namespace === undefined ? parts : parts.filter((part) => part.namespace === namespace)
  return {
    seq,
    time,
    durationMs,
    ...(topics.has('latency') && { latency: wanted(latency) }),
    ...(topics.has('process') && { process }),
    ...(topics.has('memory') && { memory }),
    ...(topics.has('device') && { device, devices: wanted(devices) }),
    ...(topics.has('marks') && { marks }),
    ...(topics.has('jobs') && { jobs: jobs() }),
  }
}
