// The limit of open files. Node has already raised the soft limit to the hard limit.
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'

/** As in the core. With fewer, not even all modules can be loaded. */
export const FILES_LEAST = 256

const ownLimits = (): string => readFileSync('/proc/self/limits', 'utf8')

/** Most files that the process may open; infinite if there is no limit. */
export function openFilesMax(limits = ownLimits()): number {
  const [, most = String(FILES_LEAST)] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? []
  return most === 'unlimited' ? Infinity : Number(most)
}

/** @throws ConfigError if the limit is too low. */
export function checkOpenFiles(limits = ownLimits()): void {
  const most = openFilesMax(limits)
  if (most < FILES_LEAST) {
    throw new ConfigError(
      `the process may open ${most} files and needs at least ${FILES_LEAST}; raise the limit with ulimit -n`,
    )
  }
}
