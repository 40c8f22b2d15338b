// Which operations change something: a read-only server refuses them. Whatever writes is a change unless it is named here.
import type { RouteOptions } from 'fastify'
import type { Config } from '../config.js'
import { GatewayError } from '../errors.js'
import type { Needs } from './permissions.js'
import { say } from '../sentences/sentence.js'

/** Writers and operators may call these, and they change neither records nor settings. Each line is a list of ids. */
const STILL: ReadonlySet<string> = listed([
  // A backup is a copy elsewhere, and schedules go on too.
  'startBackup resumeBackup verifyBackup',
  // Jobs that were begun before can be paused and ended. Their start looks at the kind.
  'startJob updateJob abortJob',
  'testAlertRule',
  // It takes over what the operator has written, and that may end read-only.
  'reloadServerConfig',
  // It may only read; what it does is looked at before it runs.
  'compatibleBatch',
])

/** Everybody may call this one, and it changes something. */
const CHANGES: ReadonlySet<string> = new Set(['changePassword'])

/** Kinds of jobs that change a namespace. */
const CHANGING_JOBS: ReadonlySet<string> = new Set(['truncate', 'compaction'])

function listed(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

/** Whether an operation with these needs changes something. Without needs it is a public one, such as signing in. */
export function changesSomething(
  operation: string | undefined,
  method: RouteOptions['method'],
  needs: Needs | undefined,
): boolean {
  if (operation === undefined || needs === undefined || STILL.has(operation)) return false
  if (CHANGES.has(operation)) return true
  return needs.role !== 'reader' && [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
}

/** @throws GatewayError `server_read_only` */
export function refuseIfReadOnly({ readOnly }: Config): void {
  if (readOnly)
    throw new GatewayError('server_read_only', say('this server is read-only (TESSERA_READ_ONLY): nothing was changed'))
}

/** @throws GatewayError `server_read_only` */
export function refuseJobIfReadOnly(config: Config, kind: string): void {
  if (CHANGING_JOBS.has(kind)) refuseIfReadOnly(config)
}
