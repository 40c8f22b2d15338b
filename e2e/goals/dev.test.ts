// `npm run dev`: gateway and console from a copy of the tree; a change of a source is served without a command.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { setUp } from '../../server/setup.mjs'
import { environment, newHome, removeHome } from '../gateway/gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const home = newHome()
const tree = join(home, 'tree')
let dev: ChildProcess
let text = ''
let gateway: string
let pages: string

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await once(server.close(), 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

const textOf = async (address: string): Promise<string> => (await fetch(address)).text()
/** A compiler may share the machine with others. */
const patience = { timeout: 300_000, interval: 100 }

function edit(file: string, was: string, is: string): void {
  const source = readFileSync(join(tree, file), 'utf8')
  expect(source).toContain(was)
  writeFileSync(join(tree, file), source.replace(was, is))
}

beforeAll(async () => {
  // The copy would bring itself up to date otherwise, and install into the packages that it is linked to.
  await setUp()
  const skipped = /\/(node_modules|target|test|tests)(\/|$)/
  const copied = ['server', 'web', 'native/crates', 'native/Cargo.toml', 'native/Cargo.lock', 'e2e/package.json']
  for (const path of [...copied, 'package.json', 'package-lock.json', 'tsconfig.base.json']) {
    const filter = (from: string): boolean => !skipped.test(from.slice(root.length - 1))
    cpSync(join(root, path), join(tree, path), { recursive: true, filter, preserveTimestamps: true })
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const port = await freePort()
  const args = ['server/dev.mjs', '--port', String(port), '--data', join(home, 'data'), '--no-auth']
  dev = spawn(process.execPath, args, { cwd: tree, env: { ...environment, NO_COLOR: '1' } })
  for (const output of [dev.stdout, dev.stderr]) output?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const consoleUrl = (): string => {
    const url = /Local:\s+(http:\/\/\S+?)\/?\s/.exec(text)?.[1]
    if (url === undefined) throw new Error(text)
    return url
  }
  pages = await vi.waitFor(consoleUrl, { timeout: 300_000, interval: 50 })
  gateway = `http://127.0.0.1:${port}`
})

afterAll(async () => {
  if (dev.exitCode === null && dev.signalCode === null) {
    const exit = once(dev, 'exit')
    dev.kill('SIGTERM')
    await exit
  }
  removeHome(home)
})

test('the console is served with reload, and reaches the gateway', async () => {
  await expect.poll(() => textOf(`${pages}/`), patience).toContain('/@vite/client')
  await expect.poll(() => textOf(`${pages}/healthz`), patience).toContain('ok')
})

test('a changed source of the gateway is served after a restart', async () => {
  await expect.poll(() => textOf(`${gateway}/api/v1/openapi.json`), patience).toContain('"title":"Tessera"')
  edit('server/src/openapi/document.ts', "title: 'Tessera'", "title: 'Edited Tessera'")
  await expect.poll(() => textOf(`${gateway}/api/v1/openapi.json`), patience).toContain('"title":"Edited Tessera"')
})

test('a changed source of the console is served at once', async () => {
  edit('web/src/main.tsx', 'import', 'const edited = true\nvoid edited\nimport')
  await expect.poll(() => textOf(`${pages}/src/main.tsx`), patience).toContain('edited')
})

test('a signal ends the gateway, the compilers and the console', async () => {
  dev.kill('SIGINT')
  const [code] = await once(dev, 'exit')
  expect(code).toBe(0)
  await expect(fetch(`${gateway}/healthz`)).rejects.toThrow('fetch failed')
  await expect(fetch(pages)).rejects.toThrow('fetch failed')
})
