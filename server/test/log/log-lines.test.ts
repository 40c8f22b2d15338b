// A log that cannot be written costs its lines and nothing else.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LogLines, WAITING_MAX } from '../../src/log/log-lines.js'

const home = mkdtempSync(join(tmpdir(), 'tessera-log-'))
const FULL = '/dev/full'

afterAll(() => rmSync(home, { recursive: true, force: true }))

test('lines come in their order', async () => {
  const path = join(home, 'log')
  const fd = openSync(path, 'a')
  const log = new LogLines(fd)
  const lines = Array.from({ length: 1000 }, (_, n) => `{"line":${n}}\n`)
  for (const line of lines) log.write(line)
  await expect.poll(() => readFileSync(path, 'utf8')).toBe(lines.join(''))
  expect(log.dropped).toBe(0)
  closeSync(fd)
})

test.skipIf(!existsSync(FULL))('a full disk drops lines, and no more', async () => {
  const log = new LogLines(openSync(FULL, 'w'))
  for (let n = 1; n <= 3; n += 1) {
    log.write('a line\n')
    await expect.poll(() => log.dropped).toBe(n)
  }
})

test('a reader that stalls bounds what waits', async () => {
  const path = join(home, 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const log = new LogLines(fd)
  const line = `${'x'.repeat(1023)}\n`
  const lines = (3 * WAITING_MAX) / line.length
  for (let n = 0; n < lines; n += 1) log.write(line)
  expect(log.dropped).toBeGreaterThan(0)
  expect(log.dropped).toBeLessThan(lines)
  const kept = (lines - log.dropped) * line.length
  // What was kept comes once somebody reads.
  const buffer = Buffer.alloc(64 * 1024)
  let read = 0
  const more = () => {
    try {
      return readSync(fd, buffer)
    } catch {
      // Nothing is in the pipe yet.
      return 0
    }
  }
  await expect.poll(() => (read += more()), { interval: 1 }).toBe(kept)
  closeSync(fd)
})

test.skipIf(!existsSync('/proc/self/fd'))('a reader that stalls does not hold up the exit', async () => {
  const path = join(home, 'stalled')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR)
  const lines = new URL('../../dist/log/log-lines.js', import.meta.url).href
  const script = `const { logLines } = await import('${lines}')
    for (let n = 0; n < 1000; n += 1) logLines.write('x'.repeat(1023) + '\\n')
    process.exit(4)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', fd, 'ignore'] })
  try {
    expect(await once(child, 'exit')).toEqual([4, null])
  } finally {
    child.kill('SIGKILL')
    closeSync(fd)
  }
})
