// Times, sizes, counts and durations, each with its unit in the description.
import { Type } from 'typebox'

const inUnit = (unit: string, what: string, more = ''): string => `${what}, in ${unit}.${more && ` ${more}`}`

export const text = (description: string) => Type.String({ description })

export const count = (description: string) => Type.Integer({ minimum: 0, description })

export const bytes = (what: string, more?: string) => count(inUnit('bytes', what, more))

export const number = (description: string) => Type.Number({ description })

export const milliseconds = (what: string, more?: string) => number(inUnit('milliseconds', what, more))

export const seconds = (what: string, more?: string) => number(inUnit('seconds', what, more))

export const flag = (description: string) => Type.Boolean({ description })

export const timestamp = (what: string, more = '') =>
  Type.String({ format: 'date-time', description: `${what}, as RFC 3339 in UTC.${more && ` ${more}`}` })

/** A code of `docs/errors.md` and its message. */
/** A point in time of a request: `requests/moment.ts` reads it. */
export const moment = (description: string, example: string) =>
  Type.String({ format: 'date-time', description, examples: [example] })

export const Before = moment(
  'Only records last updated before this time: RFC 3339, to the millisecond. Unset: all records. ' +
    'A future time is refused with `time_in_future`.',
  '2026-01-31T12:00:00Z',
)

export const Threads = Type.Integer({
  minimum: 1,
  maximum: 128,
  description: 'Worker threads, 1 to 128. Default: set by `TESSERA_THREADS`.',
  examples: [2],
})

/** The throttle of scans and their like. */
export const RecordsPerSecond = Type.Integer({
  minimum: 0,
  description: 'Throttle, in records per second. 0 or unset: no throttle.',
  examples: [50_000],
})

/** A duration in a query string, such as `2s`, `500ms`, `5m`. */
export const Duration = Type.String({
  pattern: '^[0-9]{1,9}(ms|s|m|h)$',
  description: 'A duration with its unit: `500ms`, `2s`, `5m` or `1h`.',
  examples: ['5s'],
})

export const Wait = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,9}(ms|s|m|h)$',
    description:
      'Wait this long for the job to end before answering, at most `60s`. Unset: answer at once with the running job.',
    examples: ['2s'],
  }),
)
