// The place of a Unix socket.
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fork } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clearSocket } from '../../src/network/socket.js'

let home: string
let path: string
let server: Server | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tessera-'))
  path = join(home, 'socket')
})
afterEach(async () => {
  server?.close()
  server = undefined
  await rm(home, { recursive: true })
})

const isThere = () =>
  lstat(path).then(
    () => true,
    () => false,
  )

test('is free, or made free of a socket whose server was killed', async () => {
  await clearSocket(path)
  const script = join(home, 'listen.cjs')
  await writeFile(
    script,
    `require('net').createServer().listen(${JSON.stringify(path)}, () => process.send('listens'))`,
  )
  const killed = fork(script)
  await new Promise((resolve) => killed.once('message', resolve))
  const ended = new Promise((resolve) => killed.once('exit', resolve))
  killed.kill('SIGKILL')
  await ended
  expect(await isThere()).toBe(true)
  await clearSocket(path)
  expect(await isThere()).toBe(false)
})

test('is not taken from a server, nor from a file', async () => {
  server = createServer()
  await new Promise<void>((resolve) => server?.listen(path, resolve))
  await expect(clearSocket(path)).rejects.toThrow('listens on')
  const file = join(home, 'file')
  await writeFile(file, 'mine')
  await expect(clearSocket(file)).rejects.toThrow('something else is there')
  await expect(clearSocket(join(file, 'below'))).rejects.toThrow('cannot be made')
})
