// How much an API token or a user may ask for.
import { type Static, Type } from 'typebox'

const MOST = 1_000_000

export const CallerLimits = Type.Object(
  {
    requestsPerSecond: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST,
        description: 'Most requests a second. 0: no limit. Unset: `TESSERA_CALLER_REQUESTS_PER_SECOND`.',
      }),
    ),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST,
        description: 'Most requests at once after a pause. Unset: as many as in one second.',
      }),
    ),
    requestsAtOnce: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST,
        description:
          'Most requests at work at the same time, live streams included. 0: no limit. Unset: ' +
          '`TESSERA_CALLER_REQUESTS_AT_ONCE`.',
      }),
    ),
  },
  {
    title: 'CallerLimits',
    description:
      'How much the caller may ask for. Beyond it, requests are refused with `too_many_requests`. What is unset is as in ' +
      'the configuration.',
    additionalProperties: false,
    examples: [{ requestsPerSecond: 100, burst: 200, requestsAtOnce: 16 }],
  },
)
export type CallerLimits = Static<typeof CallerLimits>
