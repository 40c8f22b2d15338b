// A small file system in memory for the data of the gateway, in a mount namespace of its own, so that it can be filled.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 ** 2

export interface Disk {
  /** What stands before a command that is to see the disk. */
  readonly enter: readonly string[]
  /** Takes all room that is left; the bytes that it took. */
  fill(): number
  free(): void
  freeBytes(): number
  remove(): Promise<void>
}

/** Undefined, with the reason told, where no file system may be mounted. */
export async function mountDisk(path: string, mib: number, tell: (line: string) => void): Promise<Disk | undefined> {
  mkdirSync(path, { recursive: true })
  const mount = `mount -t tmpfs -o size=${mib}m,mode=700 chaos "$0" && echo mounted && exec cat`
  const holder = spawn('unshare', ['--mount', 'sh', '-c', mount, path], { stdio: ['pipe', 'pipe', 'pipe'] })
  const refused = await said(holder)
  if (refused !== undefined) {
    tell(`no full disk: ${refused}`)
    return undefined
  }
  // The test is outside of the namespace, and reaches the disk through the process that is in it.
  const inside = join(`/proc/${holder.pid}/root`, path)
  const ballast = join(inside, 'ballast')
  return {
    enter: ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--'],
    fill: () => fill(ballast),
    free: () => rmSync(ballast, { force: true }),
    freeBytes: () => statfsSync(inside).bavail * statfsSync(inside).bsize,
    remove: async () => {
      const gone = once(holder, 'exit')
      holder.stdin.end()
      await gone
    },
  }
}

/** Why there is no disk; undefined if there is one. */
function said(holder: ChildProcess): Promise<string | undefined> {
  let faults = ''
  holder.stderr?.on('data', (chunk: Buffer) => (faults += chunk.toString()))
  return new Promise((resolve) => {
    holder.stdout?.once('data', () => resolve(undefined))
    holder.once('error', (error) => resolve(error.message))
    holder.once('exit', () => resolve(faults.trim()))
  })
}

function fill(path: string): number {
  const file = openSync(path, 'a')
  let taken = 0
  try {
    for (const size of [MIB, 4096]) {
      const zeros = Buffer.alloc(size)
      for (;;) {
        try {
          taken += writeSync(file, zeros)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
          break
        }
      }
    }
  } finally {
    closeSync(file)
  }
  return taken
}
