// The name of the only node.
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

/** Aerospike's node names are "BB9" and twelve hexadecimal digits. */
export const nodeName = `BB9${createHash('sha256').update(hostname()).digest('hex').slice(0, 12).toUpperCase()}`
