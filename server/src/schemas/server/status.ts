import { type Static, Type } from 'typebox'
import { status } from '../examples/status.js'
import { AuditHead } from './audit.js'
import { GatewayNotice, GatewayUse } from './gateway.js'
import { MemoryBytes } from './memory.js'
import { bytes, count, flag, number, seconds, text, timestamp } from '../quantities.js'
import { failure } from '../failure.js'
import { Said } from '../sentence.js'
import { NamespaceState, RecoveryProgress } from '../namespaces/recovery.js'
import { choice } from '../words.js'

export const Environment = choice(['development', 'staging', 'production'], {
  description: '`TESSERA_ENVIRONMENT`. In `production`, destructive calls need `X-Confirm`.',
})

const NamespaceNotice = Type.Object({
  namespace: text('Name of the namespace.'),
  state: NamespaceState,
  code: text('Code of the notice; for problems, the error code.'),
  message: text('What is worth knowing, in one sentence.'),
  said: Said,
})

const IoBackend = Type.Object(
  {
    backend: choice(['io_uring', 'threads'], { description: 'The I/O backend in use.' }),
    reason: text('Why this backend was chosen.'),
  },
  { description: 'How device reads and writes are kept in flight.' },
)

const MemoryShare = Type.Object(
  {
    limitBytes: bytes('Limit', '`TESSERA_MEMORY_BYTES`; default: 40% of the memory of the machine.'),
    usedBytes: bytes('Memory held by records and their indexes'),
  },
  {
    description:
      'Memory shared by memory namespaces without `maxMemoryBytes`. Past the limit, writes are refused with `memory_full`.',
  },
)

const RequestMemory = Type.Object(
  {
    limitBytes: bytes('Limit', '`TESSERA_REQUEST_BYTES`; default: 25% of the memory of the machine.'),
    usedBytes: bytes('Memory held now'),
    waiting: count('Requests that wait for memory.'),
    refused: count('Requests refused with `memory_busy` since the start.'),
  },
  { description: 'Memory shared by queries, streams and request bodies.' },
)

const historyFields = {
  bytes: bytes('Size of its files'),
  mostBytes: bytes('Size that its files never exceed'),
  damaged: count('Damaged places found in its files since the start. What was there is left out.'),
  unreadable: Type.Array(Type.String(), { description: 'Files that are not read, or not all of them, and why.' }),
  failure: Type.Optional(
    Type.Object(
      { since: timestamp('When it was first met'), message: text('What is wrong, in one sentence.') },
      { description: 'Why nothing can be written. It is kept in memory meanwhile.' },
    ),
  ),
}
const HistoryStatus = Type.Object(historyFields, { description: 'The history of metrics on disk.' })
const JobHistoryStatus = Type.Object(historyFields, {
  description: 'The history of jobs on disk. `unreadable` names damaged files of benchmark runs too.',
})

const SlowLogStatus = Type.Object(historyFields, { description: 'The slow operations on disk.' })

const reasons = Type.Array(Type.String(), { description: 'Why it is not healthy. Empty if it is.' })

/** Status of the engine. */
const engineFields = {
  version: text('Version of Tessera.'),
  startedAt: timestamp('When the server started'),
  dataDirectory: text('Path of the data directory.'),
  cpus: count('CPU cores of the machine.'),
  memoryTotalBytes: bytes('Memory of the machine'),
  memory: MemoryBytes,
  memoryShare: MemoryShare,
  requestMemory: RequestMemory,
  residentBytes: bytes('Resident memory of the server'),
  cpuPercent: number('CPU use of the server, in percent of one core.'),
  diskFreeBytes: bytes('Free space on the disk of the data directory'),
  diskTotalBytes: bytes('Size of the disk of the data directory'),
  io: IoBackend,
  healthy: flag('True if everything works.'),
  reasons,
  dataDirectoryFailure: Type.Optional(
    failure(
      'Why the data directory takes no writes: it is gone, was replaced, is mounted read-only, or an error made its ' +
        'file system read-only.',
    ),
  ),
  notices: Type.Array(NamespaceNotice, { description: 'What is worth knowing about namespaces, problems included.' }),
  orphans: Type.Array(Type.String(), {
    description: 'Folders that no namespace owns, as last seen. See `GET /api/v1/orphans`.',
  }),
  recovering: flag('True while a namespace recovers.'),
  progress: Type.Array(RecoveryProgress, { description: 'Namespaces that recover or wait for recovery.' }),
  namespaces: count('Namespaces.'),
  records: count('Records in all namespaces whose engine counts them.'),
  runningJobs: count('Running jobs.'),
  history: HistoryStatus,
  jobHistory: JobHistoryStatus,
  slowLog: SlowLogStatus,
}

export const EngineStatus = Type.Object(engineFields)
export type EngineStatus = Static<typeof EngineStatus>

export const Status = Type.Object(
  {
    ...engineFields,
    engine: text('Kind of engine.'),
    environment: Environment,
    readOnly: flag('True if `TESSERA_READ_ONLY` is set. Then every request that changes something is refused.'),
    undoSeconds: seconds('How long drops and truncations can be undone (`TESSERA_UNDO`)'),
    uptimeSeconds: seconds('Time since the start'),
    nodeVersion: text('Version of Node.js.'),
    health: text('Health in one sentence.'),
    gateway: GatewayUse,
    /** Unset: the caller may not see the server as a whole. */
    audit: Type.Optional(AuditHead),
    gatewayNotices: Type.Array(GatewayNotice, { description: 'Problems of the gateway. Empty if there are none.' }),
  },
  { title: 'Status', description: 'The server, its machine and its health.', examples: [status] },
)
export type Status = Static<typeof Status>

export const Liveness = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { title: 'Liveness', description: 'The process is alive.', examples: [{ status: 'ok' }] },
)

export const Readiness = Type.Object(
  {
    ready: flag('True if the server can take requests.'),
    state: choice(['starting', 'ready', 'degraded', 'stopping'], {
      description:
        '`starting`: namespaces recover. `stopping`: the server was told to stop. ' +
        '`degraded`: a namespace could not be opened (the others are served, so `ready` is true), or a namespace or ' +
        'the data directory refuses writes (`ready` is false).',
    }),
    reasons,
    progress: Type.Array(RecoveryProgress, { description: 'Namespaces that recover or wait for recovery.' }),
  },
  {
    title: 'Readiness',
    description: 'Whether the server can take requests.',
    examples: [{ ready: true, state: 'ready', reasons: [], progress: [] }],
  },
)
