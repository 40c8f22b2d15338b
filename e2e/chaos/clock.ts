// A wall clock of the gateway's own, which the test sets while the machine's stays right for everybody else.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Clock {
  /** What the gateway's process needs to have it. */
  readonly variables: Readonly<Record<string, string>>
  /** Seconds by which the gateway's clock is ahead. */
  jump(seconds: number): void
}

/** Undefined, with the reason told, where no library can be built or preloaded. */
export function makeClock(home: string, tell: (line: string) => void): Clock | undefined {
  const library = join(home, 'libclock.so')
  const source = fileURLToPath(new URL('clock.rs', import.meta.url))
  const how = ['--edition', '2021', '--crate-type', 'cdylib', '-O', '-C', 'panic=abort', source, '-o', library]
  const built = process.platform === 'linux' ? spawnSync('rustc', how, { encoding: 'utf8' }) : undefined
  if (built?.status !== 0) {
    tell(`no clock jumps: ${built?.stderr ?? built?.error?.message ?? 'only Linux preloads the clock'}`)
    return undefined
  }
  const file = join(home, 'clock')
  writeFileSync(file, Buffer.alloc(8))
  return {
    variables: { LD_PRELOAD: library, CHAOS_CLOCK: file },
    jump: (seconds) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(seconds))
      // The gateway has this file mapped, so it is written in place.
      const at = openSync(file, 'r+')
      writeSync(at, bytes, 0, 8, 0)
      closeSync(at)
    },
  }
}
