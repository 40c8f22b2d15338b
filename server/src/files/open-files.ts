// How many files the process may have open. Node has raised the soft limit to the hard one by now.
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'

/** As in the core: below it not even all modules can be loaded. */
const LEAST = 256

/** @throws ConfigError if it may have too few. */
export function checkOpenFiles(limits = readFileSync('/proc/self/limits', 'utf8')): void {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? LEAST)
  if (most < LEAST) {
    throw new ConfigError(
      `the process may have ${most} files open, and needs ${LEAST} at least: raise the limit (ulimit -n)`,
    )
  }
}
