// The log and the audit log of a whole gateway at a collector of OpenTelemetry.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../src/app.js'
import { Access } from '../../../src/auth/access.js'
import { readConfig } from '../../../src/config.js'
import { openNativeEngine } from '../../../src/engines/native.js'
import { Gateway, TOKEN } from '../../gateway.js'

interface Value {
  stringValue?: string
  intValue?: number
}
interface Sent {
  timeUnixNano: string
  severityText: string
  eventName?: string
  body: Value
  attributes: { key: string; value: Value }[]
}
interface Body {
  resourceLogs: { resource: { attributes: Sent['attributes'] }; scopeLogs: { logRecords: Sent[] }[] }[]
}

const bodies: Body[] = []
const paths: string[] = []
let status = 200
let server: Server
let gateway: Gateway
const lines: string[] = []

const records = (): Sent[] =>
  bodies.flatMap(({ resourceLogs }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((one) => one.logRecords)),
  )
const entries = (): string[] =>
  records()
    .filter(({ eventName }) => eventName === 'tessera.audit')
    .map(({ body }) => body.stringValue ?? '')
const attribute = ({ attributes }: Sent, name: string) => attributes.find(({ key }) => key === name)?.value
const kept = async (): Promise<string[]> => {
  const folder = join(gateway.directory, 'audit')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log')).toSorted()
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('').trimEnd().split('\n')
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    paths.push(request.url ?? '')
    const body = JSON.parse(await text(request)) as Body
    if (status === 200) bodies.push(body)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  const config = readConfig(['--data', directory], {
    TESSERA_LOGS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    TESSERA_LOG_REQUESTS: 'true',
  })
  const engine = await openNativeEngine(config)
  const log = { write: (line: string) => void lines.push(line) }
  const app = await buildApp({ config, engine, access: new Access(TOKEN), consoleFiles: join(directory, 'none'), log })
  gateway = new Gateway(app, directory)
  await app.ready()
})

afterAll(async () => {
  await gateway.app.close()
  server.closeAllConnections()
  server.close()
  await rm(gateway.directory, { recursive: true })
})

test('the collector gets each entry of the audit log as the file has it, and each line of the log', async () => {
  await gateway.memoryNamespace('shop')
  await gateway.put('shop/sets/users/records/secret-key', { n: 'secret-value' })
  await expect.poll(async () => entries().length === (await kept()).length, { timeout: 20_000 }).toBe(true)
  expect(entries()).toEqual(await kept())
  const made = records().find((one) => attribute(one, 'tessera.audit.operation')?.stringValue === 'createNamespace')
  const entry = JSON.parse(made?.body.stringValue ?? '') as { hash: string; at: string }
  expect(made && attribute(made, 'tessera.audit.hash')).toEqual({ stringValue: entry.hash })
  expect(BigInt(made?.timeUnixNano ?? 0) / 1_000_000n).toBe(BigInt(Date.parse(entry.at)))
  await expect.poll(() => records().some((one) => attribute(one, 'operation')?.stringValue === 'putRecord')).toBe(true)
  expect(new Set(paths)).toEqual(new Set(['/v1/logs']))
  expect(JSON.stringify(bodies[0]?.resourceLogs[0]?.resource)).toContain('tessera')
  expect(JSON.stringify(bodies)).not.toMatch(/secret-(key|value)|T{43}/)
  expect(await gateway.ok('GET /api/v1/status')).toMatchObject({ gateway: { sentLogs: { dropped: 0 } } })
})

test(
  'one that refuses is told once in the log and counted, and requests are answered',
  { timeout: 60_000 },
  async () => {
    status = 400
    const told = (): string[] => lines.filter((line) => line.includes('takes no log lines'))
    expect((await gateway.send('GET /api/v1/namespaces')).status).toBe(200)
    await expect.poll(() => told().length, { timeout: 20_000 }).toBe(1)
    await expect
      .poll(async () => (await gateway.send('GET /metrics')).text, { timeout: 20_000 })
      .toMatch(/^tessera_dropped_log_records_total [1-9]/m)
    status = 200
    await expect
      .poll(
        async () => {
          await gateway.send('GET /api/v1/namespaces')
          return lines.some((line) => line.includes('takes log lines again'))
        },
        { timeout: 20_000 },
      )
      .toBe(true)
    expect(told()).toHaveLength(1)
  },
)
