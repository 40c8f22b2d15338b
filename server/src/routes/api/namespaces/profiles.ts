// What the records of a set look like: its schema as a sample of its records shows it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { attribute } from '../../../answers/attribute.js'
import { abortOnClose } from '../../../answers/record-stream.js'
import type { App } from '../../../app-types.js'
import { takeProfile, type Around } from '../../../profile/take.js'
import {
  NamespaceProfileQuery,
  ProfileQuery,
  SAMPLE_DEFAULT,
  SetProfile,
} from '../../../schemas/namespaces/profiles.js'
import { NamespaceName, SetName } from '../../../schemas/words.js'

const tags = ['sets']

export function profileRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/sets/:set/profile',
    {
      schema: {
        operationId: 'profileSet',
        tags,
        summary: 'Profile a set',
        description:
          'Reads a sample of the records of a set, and answers its bins: types, null share, different values, extremes, ' +
          'most frequent values, paths of JSON, sizes and times to live. It reads about `sample` records and no others.',
        params: Type.Object({ ns: NamespaceName, set: SetName }),
        querystring: ProfileQuery,
        response: { 200: SetProfile },
      },
    },
    (request, reply) => {
      const { ns, set } = request.params
      return profile(request, reply, { ...request.query, ns, set })
    },
  )

  app.get(
    '/namespaces/:ns/profile',
    {
      schema: {
        operationId: 'profileRecords',
        tags,
        summary: 'Profile a namespace',
        description:
          'Like the profile of a set, of all records of the namespace. `set=` with nothing behind it: of the records ' +
          'without a set.',
        params: Type.Object({ ns: NamespaceName }),
        querystring: NamespaceProfileQuery,
        response: { 200: SetProfile },
      },
    },
    (request, reply) => profile(request, reply, { ...request.query, ns: request.params.ns }),
  )
}

interface Asked {
  ns: string
  set?: string
  sample?: number
  seed?: number
}

function profile(request: FastifyRequest, reply: FastifyReply, asked: Asked): Promise<SetProfile> {
  const { ns, set, sample = SAMPLE_DEFAULT, seed = 0 } = asked
  const threads = request.server.config.defaultThreads
  return takeProfile(request.engine, { namespace: ns, set, sample, seed, threads }, aroundOf(request, reply))
}

/** The scans of a request: they are jobs of the caller, count as streams, and end if the client goes. */
export function aroundOf(request: FastifyRequest, reply: FastifyReply): Around {
  const { streams, gate, engine } = request.server
  return {
    giveWay: (bytes) => gate.giveWay(bytes),
    isCounted: async (namespace) => (await engine.namespace(namespace)).capabilities.counts === 'exact',
    open: async (start) => {
      const stream = await streams.open(reply, start)
      attribute(request, stream.jobId)
      abortOnClose(reply, stream)
      return stream
    },
  }
}
