import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, examineLooks, logIn, openBrowser, type Session, withPage } from '../browser/browser.ts'
import { createNamespace, send } from '../gateway/client.ts'
import { environment, type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// The data directory goes while the gateway runs: writes are refused, everything says why, and it mends itself.

const record = '/api/v1/namespaces/events/sets/s/records/1'
const entry = fileURLToPath(new URL('../../server/dist/server.js', import.meta.url))
const home = newHome()
const [data, away] = [join(home, 'data'), join(home, 'away')]
let gateway: Gateway
let browser: Browser
let session: Session

beforeAll(async () => {
  browser = await openBrowser()
  gateway = await startGateway(home)
  session = await logIn(browser, gateway)
  await createNamespace(gateway, { name: 'events', storage: { engine: 'device' } })
})

afterAll(async () => {
  await closePages(browser)
  await gateway.stop()
  removeHome(home)
})

const put = () => send(gateway, 'PUT', record, { v: 1 })

/** Writes until the answer has the status. */
async function putUntil(status: number): Promise<Response> {
  for (;;) {
    const answer = await put()
    if (answer.status === status) return answer
    await setTimeout(10)
  }
}

test('a data directory that is removed, and one that replaces it', async () => {
  expect((await put()).status).toBe(201)
  renameSync(data, away)
  const refused = await putUntil(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({
    code: 'data_directory_unavailable',
    detail: `${data} no longer exists`,
  })
  expect((await send(gateway, 'GET', record)).status).toBe(200)
  const ready = await send(gateway, 'GET', '/readyz')
  expect([ready.status, await ready.json()]).toMatchObject([503, { reasons: [`${data} no longer exists`] }])
  expect(existsSync(data)).toBe(false)

  await withPage({ browser, session }, {}, async (page) => {
    await page.goto(gateway.url)
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('The data directory refuses writes').waitFor()
    await health.getByText('refuses writes for now').waitFor()
    expect(await examineLooks(page, 'directory-gone')).toEqual([])
  })

  mkdirSync(data)
  const created = await send(gateway, 'POST', '/api/v1/namespaces', { name: 'n', storage: { engine: 'memory' } })
  expect(await created.json()).toMatchObject({ code: 'data_directory_unavailable' })
  expect(readdirSync(data)).toEqual([])

  rmSync(data, { recursive: true })
  renameSync(away, data)
  await putUntil(200)
  expect((await send(gateway, 'GET', '/readyz')).status).toBe(200)
})

test('a start that has too few open files says so in one line', () => {
  const start = `ulimit -n 100; exec ${process.execPath} ${entry} --port 0 --data ${join(home, 'other')}`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', start], { env: environment, encoding: 'utf8' })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe('the process may open 100 files and needs at least 256; raise the limit with ulimit -n\n')
})

test.skipIf(!existsSync('/dev/full'))('a log on a full disk costs nothing but its lines', async () => {
  const full = openSync('/dev/full', 'w')
  let port = 0
  const start = async () => {
    port = await freePort()
    const args = [entry, '--port', String(port), '--data', join(home, 'full'), '--no-auth']
    return spawn(process.execPath, args, { cwd: home, env: environment, stdio: ['ignore', full, full] })
  }
  let child = await start()
  const ends: (number | string)[] = []
  const metrics = async () => {
    // No line can say why: the port may have gone to someone else.
    const end = child.exitCode ?? child.signalCode
    if (end !== null) {
      ends.push(end)
      child = await start()
    }
    try {
      return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    } catch (error) {
      throw new Error(`no metrics; starts before this one ended with: ${ends.join(', ') || 'none'}`, { cause: error })
    }
  }
  try {
    // It listens, and the log has a line of that.
    await expect.poll(metrics).toMatch(/^tessera_dropped_log_lines_total [1-9]/m)
    const exit = once(child, 'exit')
    child.kill()
    expect(await exit).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    closeSync(full)
  }
})

/** A port that nobody listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
