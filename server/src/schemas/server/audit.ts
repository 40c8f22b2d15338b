// The audit log: entries, and whether its files are what was written.
import { type Static, Type } from 'typebox'
import { NextCursor, Truncated } from '../pages.js'
import { bytes, count, flag, moment, text, timestamp } from '../quantities.js'
import { choice, NamespaceName } from '../words.js'

const Outcome = choice(['ok', 'failed', 'refused', 'running', 'unknown'], {
  description:
    'How it went. `refused`: the caller may not do it, or is not known. `running`: it has begun and not ended. ' +
    '`unknown`: the server ended before it had, so it may have taken effect.',
  examples: ['failed'],
})

const Settings = Type.Unknown({ description: 'Settings, without secrets and free text.' })

const entry = {
  seq: 42,
  at: '2026-01-31T12:00:00.214Z',
  kind: 'outcome',
  operation: 'updateSet',
  outcome: 'ok',
  who: 'token:deploy',
  role: 'operator',
  address: '10.1.2.3',
  request: 'a1b2c3d4-7',
  namespace: 'shop',
  set: 'events',
  status: 200,
  intent: 41,
  before: { limits: { maxRecords: 0, maxBytes: 0 } },
  after: { limits: { maxRecords: 1_000_000, maxBytes: 0 } },
  hash: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
}

export const AuditEntry = Type.Object(
  {
    seq: count('Number of the entry, from 1.'),
    at: timestamp('When it was written, by the clock of the server'),
    kind: text(
      '`outcome`: a change, as it went. `intent`: a change that has begun. `single`: anything else that somebody did. ' +
        '`start`, `stop`: the server. `segment`, `checkpoint`, `torn`, `gap`: the log itself.',
    ),
    operation: Type.Optional(text('Id of the operation in the document of the API.')),
    outcome: Type.Optional(Outcome),
    who: Type.Optional(text('Who asked: `token`, `token:NAME`, `console`, `local`, `nobody` or `many`.')),
    role: Type.Optional(text('Role of the caller.')),
    address: Type.Optional(text('Address that the request came from.')),
    request: Type.Optional(text('Id of the request.')),
    namespace: Type.Optional(text('Namespace that it was about.')),
    set: Type.Optional(text('Set that it was about.')),
    object: Type.Optional(text('Index, job, rule, token or other object that it was about.')),
    dryRun: Type.Optional(flag('True: it was only asked what would be done.')),
    status: Type.Optional(count('Status of the answer.')),
    code: Type.Optional(text('Code of the problem, listed in docs/errors.md.')),
    repeated: Type.Optional(flag('True: an earlier answer was repeated, by its Idempotency-Key.')),
    job: Type.Optional(text('Id of the job that it has started.')),
    intent: Type.Optional(count('Number of the entry that announced the change.')),
    count: Type.Optional(count('So many of the same kind, since `since`. Unset: one.')),
    since: Type.Optional(text('When the first of them came, or since when nothing could be written.')),
    before: Type.Optional(Settings),
    after: Type.Optional(Settings),
    hash: text('SHA-256 of the entry, in hex. The next entry has it as `prev`.'),
  },
  {
    title: 'AuditEntry',
    description: 'What somebody did, or what happened to the server or the log. Members differ by kind.',
    additionalProperties: true,
    examples: [entry],
  },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditHead = Type.Object(
  {
    seq: count('Number of the newest entry.'),
    hash: text('Its hash. Keep it elsewhere: it stands for all entries up to this one.'),
    bytes: bytes('Size of all files'),
  },
  {
    title: 'AuditHead',
    description: 'Where the audit log stands.',
    examples: [{ seq: 42, hash: entry.hash, bytes: 18_402 }],
  },
)
export type AuditHead = Static<typeof AuditHead>

export const AuditPage = Type.Object(
  {
    items: Type.Array(AuditEntry, { description: 'The entries of this page, newest first.' }),
    truncated: Truncated,
    cursor: NextCursor,
    limit: Type.Integer({ description: 'The page size that was applied.' }),
    head: AuditHead,
  },
  {
    title: 'AuditPage',
    description: 'A page of entries.',
    examples: [{ items: [entry], truncated: false, limit: 100, head: { seq: 42, hash: entry.hash, bytes: 18_402 } }],
  },
)

const word = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 128, description, examples: [example] }))

export const AuditQuery = Type.Object(
  {
    who: word('Only what this caller did.', 'token:deploy'),
    operation: word('Only this operation, by its id.', 'updateSet'),
    namespace: Type.Optional(NamespaceName),
    outcome: Type.Optional(Outcome),
    from: Type.Optional(moment('Only entries of this time or later: RFC 3339.', '2026-01-31T00:00:00Z')),
    to: Type.Optional(moment('Only entries before this time: RFC 3339.', '2026-02-01T00:00:00Z')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Most entries, 1 to 1000. Default: 100.',
        examples: [50],
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 64, description: 'The `cursor` of the previous page.', examples: ['MTo0MDk2'] }),
    ),
  },
  { additionalProperties: false },
)

const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'A hash that was kept elsewhere. The log must have an entry with it.',
  examples: [entry.hash],
})

export const AuditVerifyQuery = Type.Object({ head: Type.Optional(Hash) }, { additionalProperties: false })

export const AuditReport = Type.Object(
  {
    ok: flag('True if each line is what was written, and none is missing.'),
    segments: count('Files that were read.'),
    entries: count('Entries that follow each other, from the first on.'),
    bytes: bytes('Size of these entries'),
    head: Type.Object(
      { seq: count('Number of the last of them.'), hash: text('Its hash.') },
      { description: 'The last of them.' },
    ),
    headSeq: Type.Optional(count('Number of the entry with the hash `head` of the request.')),
    removedSegments: Type.Optional(count('Older files that the retention removed.')),
    tornBytes: Type.Optional(bytes('A line at the end that a crash cut off')),
    fault: Type.Optional(
      Type.Object(
        {
          file: text('File at fault.'),
          line: count('Line of it, from 1; 0: the file as a whole.'),
          seq: count('Number of the entry that is there or should be.'),
          message: text('What is wrong, as the end of a sentence.'),
        },
        { description: 'The first fault. Unset: there is none.' },
      ),
    ),
  },
  {
    title: 'AuditReport',
    description: 'Whether the files of the audit log are what was written.',
    examples: [{ ok: true, segments: 1, entries: 42, bytes: 18_402, head: { seq: 42, hash: entry.hash } }],
  },
)
