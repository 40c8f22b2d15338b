// The one node that there is, by its name.
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

/** Node names there are "BB9" and twelve hexadecimal digits. */
export const nodeName = `BB9${createHash('sha256').update(hostname()).digest('hex').slice(0, 12).toUpperCase()}`
