import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { environment, newHome, removeHome } from '../gateway/gateway.ts'

// An operator checks the settings before a start, and tells the server to read them again while it starts.

const entry = fileURLToPath(new URL('../../server/dist/server.js', import.meta.url))
/** Bit of SIGHUP in the signals that a process handles, as Linux shows them. */
const HANGUP = 1n
let home: string

beforeEach(() => {
  home = newHome()
})
afterEach(() => removeHome(home))

interface Started {
  child: ChildProcess
  output: () => string
}

function start(...flags: string[]): Started {
  const args = [entry, '--port', '0', '--data', join(home, 'data'), ...flags]
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, output: () => text }
}

/** Whether the process has begun to handle SIGHUP. */
function handlesHangup({ pid }: ChildProcess): boolean {
  const caught = /^SigCgt:\t([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  return (BigInt(`0x${caught}`) & HANGUP) !== 0n
}

async function hangUpEarly({ child, output }: Started): Promise<void> {
  await expect.poll(() => handlesHangup(child), { interval: 1, timeout: 30_000 }).toBe(true)
  expect(output()).toBe('')
  child.kill('SIGHUP')
}

test('a SIGHUP at the beginning of a start reads the file again once the server is up', async () => {
  const config = join(home, 'tessera.json')
  writeFileSync(config, '{"logLevel": "info"}')
  const started = start('--config', config)
  await hangUpEarly(started)
  const { child, output } = started
  await expect.poll(output, { timeout: 30_000 }).toContain('Tessera listens on')
  await expect.poll(output, { timeout: 30_000 }).toContain('the configuration was read again')
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

test('without anything to read again, it ends the server as a later one does', async () => {
  const started = start()
  await hangUpEarly(started)
  await once(started.child, 'exit')
  expect(started.output()).toContain('"signal":"SIGHUP"')
})

const print = (settings: Record<string, string>, ...flags: string[]) => {
  const args = [entry, '--print-config', ...flags]
  const env = { ...environment, ...settings }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  return { status, text: `${stdout}${stderr}` }
}

test('--print-config reads the files that settings name', () => {
  expect(print({ TESSERA_OIDC_ISSUER: 'https://id.example.com' })).toEqual({
    status: 1,
    text: 'TESSERA_OIDC_ISSUER, TESSERA_OIDC_CLIENT_ID and TESSERA_OIDC_GRANTS need each other\n',
  })
  const missing = join(home, 'none')
  const clusters = print({ TESSERA_CLUSTERS: missing })
  expect([clusters.status, clusters.text]).toEqual([1, expect.stringContaining(`${missing} cannot be read: ENOENT`)])
  const key = print({ TESSERA_TLS_CERT: missing, TESSERA_TLS_KEY: missing })
  expect([key.status, key.text]).toEqual([1, expect.stringContaining(missing)])
  expect(print({}).status).toBe(0)
})
