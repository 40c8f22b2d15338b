// Checks the limit of open files. Node has already raised the soft limit to the hard limit.
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'

/** As in the core. With fewer, not even all modules can be loaded. */
const LEAST = 256

/** @throws ConfigError if the limit is too low. */
export function checkOpenFiles(limits = readFileSync('/proc/self/limits', 'utf8')): void {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? LEAST)
  if (most < LEAST) {
    throw new ConfigError(
      `the process may open ${most} files and needs at least ${LEAST}; raise the limit with ulimit -n`,
    )
  }
}
