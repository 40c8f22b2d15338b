import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, createNamespace, type Job, lines } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { importRows } from '../gateway/rows.ts'

const rows = 150_000
const filler = 'x'.repeat(1000)
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home)
  await createNamespace(gateway, { name: 'big', storage: { engine: 'memory' } })
  await importRows(gateway, 'big', 'rows', someRows())
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

function* someRows(): Generator<unknown> {
  for (let n = 0; n < rows; n += 1) yield { key: `row-${n}`, filler }
}

/** Starts a scan and resolves with the answer's stream, of which nothing has been read. */
function openScan(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const scan = request(
      `${gateway.url}/api/v1/namespaces/big/scan`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.token}`,
          'content-type': 'application/json',
          accept: 'application/x-ndjson',
        },
      },
      resolve,
    )
    scan.once('error', reject)
    scan.end(JSON.stringify({ set: 'rows', threads: 2 }))
  })
}

async function newestScan(): Promise<Job & { kind: string }> {
  const { items } = await call<{ items: (Job & { kind: string })[] }>(gateway, 'GET', '/api/v1/jobs')
  const newest = items.find((job) => job.kind === 'scan')
  if (newest === undefined) throw new Error('no scan among the jobs')
  return newest
}

/** Resident memory of the gateway in MiB. */
function resident(): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

describe('a client that reads slowly', () => {
  test('slows the scan down, costs no memory, and gets every record', async () => {
    const before = resident()
    const stream = await openScan()
    // The scan has filled what buffers there are when its count stands still between two looks.
    let seen = -1
    await expect
      .poll(
        async () => {
          const { done } = await newestScan()
          const stands = done === seen
          seen = done
          return stands && done > 0
        },
        { interval: 300 },
      )
      .toBe(true)
    expect(seen).toBeLessThan(rows)
    expect(resident() - before).toBeLessThan(64)

    let count = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === 10) count += 1
    }
    expect(count).toBe(rows)
    await expect.poll(async () => (await newestScan()).state).toBe('done')
  })
})

describe('clients that pipeline requests and read nothing', () => {
  const [clients, pipelined] = [200, 300]

  /** Resolves when all of its requests are with the kernel. */
  async function flood(): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname).pause()
    socket.on('error', () => undefined) // a gateway may close it
    await once(socket, 'connect')
    const one = `GET /metrics HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${gateway.token}\r\n\r\n`
    await new Promise((resolve) => {
      socket.write(one.repeat(pipelined), resolve)
    })
    return socket
  }

  test('keep nobody from the gateway, cost little memory, and leave no work behind', async () => {
    const before = resident()
    const sockets = await Promise.all(Array.from({ length: clients }, flood))
    const health = async () => (await fetch(`${gateway.url}/healthz`)).status
    expect(await health()).toBe(200)
    for (const socket of sockets) socket.resetAndDestroy()
    expect(await health()).toBe(200)
    // With all answers at once it would be more than 270.
    expect(resident() - before).toBeLessThan(192)
  })
})

describe('a client that goes away', () => {
  test('ends its scan', async () => {
    const stream = await openScan()
    const { id } = await newestScan()
    stream.destroy()
    await expect.poll(async () => (await call<Job>(gateway, 'GET', `/api/v1/jobs/${id}`)).state).toBe('aborted')
  })

  test('leaves whole records of its import, which waits for the rest until it is given up', async () => {
    const upload = request(`${gateway.url}/api/v1/namespaces/big/import?set=partial&key=key`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
    })
    upload.on('error', () => undefined) // its own end
    for (let n = 0; n < 20_000; n += 1) upload.write(`${JSON.stringify({ key: `row-${n}`, filler })}\n`)
    await new Promise((resolve) => {
      upload.write('{"key":"cut off in the mid', resolve)
    })
    upload.destroy()
    const newest = async (): Promise<Job | undefined> => {
      const { items } = await call<{ items: (Job & { kind: string })[] }>(gateway, 'GET', '/api/v1/jobs')
      return items.find((job) => job.kind === 'import' && job.state !== 'done')
    }
    await expect.poll(async () => (await newest())?.state).toBe('paused')
    const { id } = (await newest()) ?? { id: '' }
    const stored = async () => (await call<{ storedRows: number }>(gateway, 'GET', `/api/v1/imports/${id}`)).storedRows
    await expect.poll(stored).toBeGreaterThan(0)
    expect(await call<Job>(gateway, 'DELETE', `/api/v1/imports/${id}`)).toMatchObject({ id, state: 'aborted' })
    // Those that were read before the end are there, and none in part.
    const { records } = await call<{ records: number }>(gateway, 'GET', '/api/v1/namespaces/big/size?set=partial')
    expect(records).toBeGreaterThan(0)
    const where = { bin: 'filler', op: 'eq', value: filler }
    const whole = await lines(gateway, 'POST', '/api/v1/namespaces/big/query', { set: 'partial', where, select: [] })
    expect(whole.length).toBe(records)
  })
})
