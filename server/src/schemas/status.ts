import { type Static, Type } from 'typebox'
import { GatewayNotice, GatewayUse } from './gateway.js'
import { MemoryBytes } from './memory.js'
import { NamespaceState, RecoveryProgress } from './recovery.js'
import { Bytes, Count, Timestamp } from './quantities.js'
import { choice } from './words.js'

export const Environment = choice(['development', 'staging', 'production'], {
  description: 'in production, destructive calls need X-Confirm',
})

const NamespaceNotice = Type.Object({
  namespace: Type.String(),
  state: NamespaceState,
  code: Type.String(),
  message: Type.String(),
})

const IoBackend = Type.Object(
  {
    backend: choice(['io_uring', 'threads']),
    reason: Type.String({ description: 'why it is this one' }),
  },
  { description: 'how reads and writes of devices are kept in flight' },
)

const MemoryShare = Type.Object(
  {
    limitBytes: { ...Bytes, description: 'TESSERA_MEMORY_BYTES, or 40% of the memory there is' },
    usedBytes: { ...Bytes, description: 'records and their indexes' },
  },
  { description: 'what memory namespaces without maxMemoryBytes may hold together; beyond it they answer memory_full' },
)

const RequestMemory = Type.Object(
  {
    limitBytes: { ...Bytes, description: 'TESSERA_REQUEST_BYTES, or 25% of the memory there is' },
    usedBytes: Bytes,
    waiting: { ...Count, description: 'requests that wait for their turn' },
    refused: { ...Count, description: 'refused with memory_busy since the start' },
  },
  { description: 'what queries, streams and bodies may hold together' },
)

/** What the engine says of itself. */
const engineFields = {
  version: Type.String(),
  startedAt: Timestamp,
  dataDirectory: Type.String(),
  cpus: Count,
  memoryTotalBytes: Bytes,
  memory: MemoryBytes,
  memoryShare: MemoryShare,
  requestMemory: RequestMemory,
  residentBytes: Bytes,
  cpuPercent: Type.Number(),
  diskFreeBytes: Bytes,
  diskTotalBytes: Bytes,
  io: IoBackend,
  healthy: Type.Boolean(),
  reasons: Type.Array(Type.String(), { description: 'why it is not healthy' }),
  dataDirectoryFailure: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'why the data directory takes no writes: it is gone, was replaced, or is mounted read-only' },
    ),
  ),
  notices: Type.Array(NamespaceNotice, { description: 'what is worth knowing about namespaces, the reasons among it' }),
  orphans: Type.Array(Type.String(), {
    description: 'folders that no namespace has, as they were last seen; see /orphans',
  }),
  recovering: Type.Boolean(),
  progress: Type.Array(RecoveryProgress, { description: 'namespaces that recover, or wait for it' }),
  namespaces: Count,
  records: Count,
  runningJobs: Count,
}

export const EngineStatus = Type.Object(engineFields)
export type EngineStatus = Static<typeof EngineStatus>

export const Status = Type.Object(
  {
    ...engineFields,
    engine: Type.String(),
    environment: Environment,
    uptimeSeconds: Type.Number(),
    nodeVersion: Type.String(),
    health: Type.String({ description: 'one sentence' }),
    gateway: GatewayUse,
    gatewayNotices: Type.Array(GatewayNotice, { description: 'what of that is worth knowing, and since when' }),
  },
  { title: 'Status' },
)
export type Status = Static<typeof Status>

export const Liveness = Type.Object({ status: Type.Literal('ok') }, { title: 'Liveness' })

export const Readiness = Type.Object(
  {
    ready: Type.Boolean(),
    state: choice(['starting', 'ready', 'degraded'], {
      description:
        'starting: namespaces recover; degraded: a namespace could not be opened (the others are served, so it is ready) or refuses writes, or the data directory takes none (then it is not)',
    }),
    reasons: Type.Array(Type.String()),
    progress: Type.Array(RecoveryProgress),
  },
  { title: 'Readiness' },
)
