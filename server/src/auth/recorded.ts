// How each operation is recorded in the audit log. Nothing is left out by omission: a change that is in no list here keeps
// the gateway from starting. Each line is a list of ids.
import type { RouteOptions } from 'fastify'
import { allows, type Role } from './roles.js'

/**
 * `change`: an entry is on the disk before it is carried out, and one after it. `read`: one entry after it, so that who
 * has seen secrets or settings of access is known. `sign-in`: the same, and failures of an address are counted.
 */
export type Recorded = 'change' | 'read' | 'sign-in'

/** Of the roles below `operator`, these change more than single records. */
const CHANGES = listed([
  'importRecords resumeImport endImport',
  'saveQuery replaceQuery removeQuery',
  'changePassword endSession',
  'confirmSecondFactor removeSecondFactor',
])

/** Single records and batches, as often as clients like: the data path. */
export const DATA_PATH = listed([
  'putRecord patchRecord deleteRecord writeRecords',
  'putRecordWithoutSet patchRecordWithoutSet deleteRecordWithoutSet writeRecordsWithoutSet',
  'insertYcsb updateYcsb deleteYcsb createKv replaceKv updateKv deleteKv',
  'createKvWithoutSet replaceKvWithoutSet updateKvWithoutSet deleteKvWithoutSet',
  'operate operateSet operateV2 operateV2Set compatibleBatch',
])

const SIGN_INS = listed(['createLogin redeemLogin endProviderSignIn'])
/** Their answers have a secret, or they end something of the caller. */
const ONCE = listed(['beginSecondFactor', 'logout endProviderSessions'])

function listed(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

/**
 * How the operation of a route is recorded, with the role that it needs; undefined: not at all.
 *
 * @throws Error if nobody has said it
 */
export function recordedAs(
  { method, url, config }: RouteOptions,
  operation: string | undefined,
  role?: Role,
): Recorded | undefined {
  if (operation === undefined || DATA_PATH.has(operation)) return undefined
  if (SIGN_INS.has(operation)) return 'sign-in'
  if (ONCE.has(operation)) return 'read'
  if (CHANGES.has(operation)) return 'change'
  if (role !== undefined && allows(role, 'operator'))
    return [method].flat().every((one) => one === 'GET' || one === 'HEAD') ? 'read' : 'change'
  if (role === 'writer' || (config?.public === true && method !== 'GET' && method !== 'HEAD'))
    throw new Error(`nobody has said how ${String(method)} ${url} is recorded; see auth/recorded.ts`)
  return undefined
}
