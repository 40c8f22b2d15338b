// The load of the gateway: event loop, refusals, streams and live clients.
import { type Static, Type } from 'typebox'
import { bytes, count, milliseconds, number, text, timestamp } from '../quantities.js'
import { Said } from '../sentence.js'
import { choice } from '../words.js'

export const LoopDelay = Type.Object(
  {
    p50Ms: milliseconds('Median delay'),
    p99Ms: milliseconds('99th percentile of the delay'),
    maxMs: milliseconds('Longest delay'),
  },
  { description: 'Delay of the event loop over the last 3 to 6 seconds.' },
)
export type LoopDelay = Static<typeof LoopDelay>

export const GatewayUse = Type.Object(
  {
    loopDelay: LoopDelay,
    refusedShare: number('Share of data requests refused with `overloaded` now, 0 to 1.'),
    refusedRequests: count('Requests refused with `overloaded` since the start.'),
    limitedRequests: count('Requests refused with `too_many_requests` since the start.'),
    connections: Type.Object(
      {
        open: count('Open connections.'),
        closed: count('Connections without a request at work that were closed since the start, to make room.'),
        refused: count('Connections refused with `too_many_connections` since the start.'),
      },
      { description: 'Connections of clients.' },
    ),
    streams: Type.Object(
      {
        open: count('Open streams.'),
        heldBytes: bytes('Data that readers have not read yet, in the gateway and the engine'),
        refused: count('Streams refused with `too_many_streams` since the start.'),
        stalled: count('Streams ended since the start because nobody read them.'),
      },
      { description: 'Streamed answers to scans, queries, streams and exports.' },
    ),
    unread: Type.Object(
      {
        answers: count('Answers of 16 KiB or more that clients have not read to their end.'),
        heldBytes: bytes('Data of these answers'),
        refused: count(
          'Requests refused with `overloaded` since the start, because clients did not read their answers.',
        ),
        closed: count('Connections closed since the start because their clients did not read.'),
      },
      { description: 'Answers that are no streams.' },
    ),
    live: Type.Object(
      {
        clients: count('Connected clients.'),
        skippedFrames: count('Frames skipped because a client had not read earlier ones.'),
      },
      { description: 'Clients of `GET /api/v1/live`.' },
    ),
    certificateEndsAt: Type.Optional(
      timestamp('Only with TLS: when the first certificate in the file of the server ends'),
    ),
    sentLogs: Type.Optional(
      Type.Object(
        {
          sent: count('Lines and entries that the collector has taken since the start.'),
          dropped: count('Those that it will not get: too many waited, or it refused them.'),
          waiting: count('Those that wait for it.'),
        },
        { description: 'Only with `TESSERA_LOGS_ENDPOINT`: lines of the log and entries of the audit log.' },
      ),
    ),
    droppedLogLines: count('Log lines lost since the start, because the disk was full or a reader stalled.'),
  },
  { title: 'GatewayUse', description: 'Load of the gateway: event loop, refusals, streams and live clients.' },
)
export type GatewayUse = Static<typeof GatewayUse>

export const GatewayNotice = Type.Object(
  {
    code: choice(
      [
        'event_loop_late',
        'overloaded',
        'history_damaged',
        'history_not_written',
        'jobs_damaged',
        'jobs_not_written',
        'alerts_damaged',
        'alerts_not_written',
        'alerts_left_out',
        'backup_schedules_damaged',
        'index_uses_damaged',
        'slow_settings_damaged',
        'slow_settings_not_written',
        'slow_damaged',
        'slow_not_written',
        'queries_damaged',
        'tokens_damaged',
        'users_damaged',
        'sessions_damaged',
        'queries_not_written',
        'revisions_damaged',
        'lab_damaged',
        'audit_damaged',
        'audit_not_written',
        'audit_large',
        'certificate_ends',
        'disk_full',
      ],
      {
        description:
          '`event_loop_late`: the event loop is late. `overloaded`: data requests are refused. `history_damaged`: a part ' +
          'of the history of metrics is lost. `history_not_written`: it is kept in memory only. `jobs_damaged`: ended jobs or benchmark runs are lost. ' +
          '`jobs_not_written`: they are kept in memory only. `alerts_damaged`: a file ' +
          'of the alerts was damaged. `alerts_not_written`: they are kept in memory only. `alerts_left_out`: there are ' +
          'more than the server evaluates. `backup_schedules_damaged`: the schedules of backups were damaged, so none runs. `slow_settings_damaged`: the settings of slow operations were damaged, so no ' +
          'keys are kept. `slow_settings_not_written`: no keys are kept, but a restart would keep them. `slow_damaged`: slow operations are lost. `slow_not_written`: they are kept in memory only. ' +
          '`tokens_damaged`: the API tokens were damaged, and none is accepted. `users_damaged`: the same for users. ' +
          '`sessions_damaged`: the sessions were damaged, so everybody has to sign in again. ' +
          '`queries_damaged`: saved queries or the query history were damaged and are set aside. ' +
          '`queries_not_written`: a part of the history is kept in memory only. ' +
          '`lab_damaged`: the same for runs of the lab. `revisions_damaged`: the same for revisions of configurations. ' +
          '`audit_damaged`: the audit log was changed, cut or damaged. `audit_not_written`: it cannot be written, so ' +
          'changes are refused. `audit_large`: it has more bytes than `TESSERA_AUDIT_NOTICE_BYTES`. ' +
          '`certificate_ends`: the certificate of the server ends within `TESSERA_TLS_NOTICE_DAYS`, or has ended. ' +
          '`disk_full`: the disk of the data directory has less than 64 MiB free, or less than 1% if it is small.',
      },
    ),
    message: text('What is wrong, in one sentence.'),
    said: Said,
    since: timestamp('When it began'),
  },
  { title: 'GatewayNotice', description: 'A problem of the gateway that needs attention.' },
)
export type GatewayNotice = Static<typeof GatewayNotice>
