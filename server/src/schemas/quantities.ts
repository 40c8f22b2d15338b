// Times, sizes, counts and durations.
import { Type } from 'typebox'

export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })

export const Before = Type.String({
  format: 'date-time',
  description:
    'only records last updated before this time (RFC 3339, to the millisecond); a time to come is refused with time_in_future',
  examples: ['2026-01-31T12:00:00Z'],
})

export const Bytes = Type.Integer({ minimum: 0, description: 'bytes' })

export const Count = Type.Integer({ minimum: 0 })

export const Threads = Type.Integer({ minimum: 1, maximum: 128, description: 'worker threads, 1 to 128' })

/** A duration in a query string, such as `2s`, `500ms`, `5m`. */
export const Duration = Type.String({
  pattern: '^[0-9]{1,9}(ms|s|m|h)$',
  description: 'a duration such as 500ms, 2s, 5m',
})

export const Wait = Type.Optional(
  Type.String({
    pattern: '^[0-9]{1,9}(ms|s|m|h)$',
    description: 'block until the job has ended, for at most this long (up to 60s)',
    examples: ['2s'],
  }),
)
