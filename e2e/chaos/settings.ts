// How long the chaos lasts, and what it begins with.
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'

export const minutes = Number(process.env['TESSERA_CHAOS_MINUTES'] ?? 60)
export const seed = Number(process.env['TESSERA_CHAOS_SEED'] ?? randomInt(2 ** 31))
/** Where the log, the log of the gateway and the samples go. */
export const folder = process.env['TESSERA_CHAOS_LOGS'] ?? tmpdir()

export const CLIENTS = 32
/** Of each client in each namespace. */
export const KEYS = 400
export const READERS = 2
export const LISTENERS = 4
/** All that the namespaces may take, their logs and snapshots included, and room beside it: only a fault fills the disk. */
export const DISK_MIB = 1536
