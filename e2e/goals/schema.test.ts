// Every operation answers as the API document says, whatever is asked: requests are made from the document by schemathesis.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { hasPython } from '../gateway/python.ts'
import { trySchema } from '../gateway/schemathesis.ts'

/** Most requests to an operation for each way to make them; the gate of a release makes more than 20,000 in all. */
const EXAMPLES = Number(process.env['TESSERA_SCHEMA_EXAMPLES'] ?? 2)
const isLong = process.env['TESSERA_SCHEMA_EXAMPLES'] !== undefined
/** `live` never ends, and a dropped namespace would leave nothing to ask for. */
const LEFT_OUT = ['live', 'dropNamespace', 'endSession', 'logout']

const home = newHome()
let gateway: Gateway

async function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<void> {
  const { url, token } = gateway
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: text }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
}

beforeAll(async () => {
  gateway = await startGateway(home)
  await send('POST', '/namespaces', { name: 'shop', storage: { engine: 'memory' } })
  const rows = Array.from({ length: 20 }, (_, row) => `{"key":"k${row}","bins":{"total":${row}}}`).join('\n')
  await send('POST', '/namespaces/shop/sets/events/records', rows, 'application/x-ndjson')
  await send('POST', '/namespaces/shop/indexes?wait=20s', {
    name: 'by-total',
    bin: 'total',
    kind: 'range',
    set: 'events',
  })
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

// Only this goal wants Python; without it the tests of the routes and of the document remain.
test.skipIf(!(await hasPython()))(
  'no answer differs from the document, and none is an error of the server',
  async () => {
    const made = isLong ? ['--phases', 'examples,coverage,fuzzing'] : ['--phases', 'examples,fuzzing', '--seed', '1']
    const left = LEFT_OUT.flatMap((operation) => ['--exclude-operation-id', operation])
    const { cases, found, text } = await trySchema(gateway, EXAMPLES, [...made, ...left])
    expect(found, text.slice(-20_000)).toEqual([])
    expect(cases).toBeGreaterThan(isLong ? 20_000 : 400)
  },
)
