// A device namespace on a file system that is full: it loses nothing, is deleted from after each start, and is written again.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Disk, mountDisk } from '../chaos/disk.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

const MIB = 1024 ** 2
const home = newHome()
/** Records that are written before the file system is full. */
const FIRST = 200
const BODY = JSON.stringify({ text: 'x'.repeat(100_000) })

let disk: Disk | undefined
let gateway: Gateway
let why = ''

beforeAll(async () => {
  disk = await mountDisk(join(home, 'data/namespaces'), 96, (line) => {
    why = line
  })
})

afterAll(async () => {
  await gateway?.stop('SIGKILL')
  await disk?.remove()
  removeHome(home)
})

async function ask(method: string, path: string, body?: string): Promise<{ status: number; code?: string }> {
  const answer = await fetch(`${gateway.url}/api/v1/namespaces${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await answer.text()
  return { status: answer.status, ...(answer.status >= 400 && { code: (JSON.parse(text) as { code: string }).code }) }
}

const record = (key: number): string => `/shelf/sets/s/records/${key}`

/** Writes new records until one is refused, and gives how many were taken. */
async function fill(from: number): Promise<number> {
  for (let key = from; ; key += 1) {
    const { status, code } = await ask('PUT', record(key), BODY)
    if (status === 201) continue
    expect(code).toMatch(/^device_(full|overload)$/)
    return key - from
  }
}

async function again(): Promise<void> {
  await gateway.stop('SIGKILL')
  gateway = await startGateway(home, [], {}, disk?.enter)
}

test('deletes are taken after each start, and writes once there is room', async ({ skip }) => {
  if (disk === undefined) return skip(why)
  gateway = await startGateway(home, [], {}, disk.enter)
  const storage = { engine: 'device', capacityBytes: 512 * MIB, writeBlockBytes: 256 * 1024 }
  expect((await ask('POST', '', JSON.stringify({ name: 'shelf', storage, segments: 16 }))).status).toBe(201)
  for (let key = 0; key < FIRST; key += 1) expect((await ask('PUT', record(key), BODY)).status).toBe(201)
  // Something else takes all that is left of the file system.
  expect(disk.fill()).toBeGreaterThan(16 * MIB)
  const most = FIRST + (await fill(FIRST))
  for (let start = 0; start < 3; start += 1) {
    await again()
    expect(await ask('DELETE', record(start))).toEqual({ status: 204 })
    expect((await ask('GET', record(start))).status).toBe(404)
  }
  for (let key = 3; key < most; key += 1) expect([key, (await ask('GET', record(key))).status]).toEqual([key, 200])

  // What reclaiming frees is written again, although the file system gives nothing.
  for (let key = 4; key < most; key += 2) expect(await ask('DELETE', record(key))).toEqual({ status: 204 })
  await expect.poll(async () => (await ask('PUT', record(most), BODY)).status, { timeout: 30_000 }).toBe(201)

  // A start without any room is no reason to refuse writes when there is some.
  await again()
  await fill(most + 1)
  disk.free()
  await expect.poll(async () => (await ask('PUT', record(0), BODY)).status, { timeout: 30_000 }).toBe(201)
  await again()
  for (const key of [0, 9, most]) expect([key, (await ask('GET', record(key))).status]).toEqual([key, 200])
})
