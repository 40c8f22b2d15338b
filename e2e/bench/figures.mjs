// What several benches read of a gateway beside their load, and of their own figures.
import { readFileSync } from 'node:fs'

/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {{ loopDelay: { p99Ms: number }, streams: { heldBytes: number }, connections: { open: number, closed: number, refused: number } }} Use */

/** @param {readonly number[]} sorted @param {number} share 0 to 1 */
export const quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0

/** @param {Gateway} gateway @returns {Promise<{ gateway: Use }>} */
export async function statusOf({ url, token }) {
  const response = await fetch(`${url}/api/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return /** @type {Promise<any>} */ (response.json())
}

/** MiB, as the kernel counts them. @param {Gateway} gateway @param {'VmRSS' | 'VmHWM'} field */
export function memory({ pid }, field) {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** Ticks of the kernel's clock in a second, as it tells them to programs. */
const TICKS = 100

/** What the process has taken of all processors so far. @param {Gateway} gateway */
export function processorSeconds({ pid }) {
  // Its name is in brackets, and may have blanks.
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
