// Routes that take no body refuse one that says something: whoever sends it means something by it.
import { expect, test } from 'vitest'
import { json } from '../bad-input/case.js'
import { useGateway } from '../gateway.js'
import { makeDocument } from '../openapi/document.js'

const gateway = useGateway()

/** `DELETE /api/v1/jobs/x` and so on: every operation that changes something and declares no body. */
async function withoutBody(): Promise<string[]> {
  const { paths } = await makeDocument()
  return Object.entries(paths)
    .filter(([path]) => !/^\/v[12]\//.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, operation]) => method !== 'get' && !('requestBody' in operation))
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, 'x')}`),
    )
}

test('a field in the body of a route without one is refused, and nothing is done', async () => {
  const lines = await withoutBody()
  expect(lines).toEqual(expect.arrayContaining(['DELETE /api/v1/slow', 'POST /api/v1/alerts/rules/x/test']))
  const answers = await Promise.all(
    lines.map(async (line) => {
      const { status, json } = await gateway().send(line, { body: { namespace: 'shop' } })
      const { code, field } = json()
      return [line, status, code, field]
    }),
  )
  expect(answers).toEqual(lines.map((line) => [line, 400, 'field_unknown', 'namespace']))
})

test('a body without a field says nothing, and what is no object is refused', async () => {
  const clear = 'DELETE /api/v1/slow'
  expect((await gateway().send(clear, { body: {} })).status).toBe(200)
  expect((await gateway().send(clear)).status).toBe(200)
  for (const body of ['[]', 'null', '"shop"', '7']) {
    const refused = await gateway().send(clear, { body, headers: json })
    expect([refused.status, refused.json()]).toMatchObject([400, { code: 'field_invalid', field: 'body' }])
  }
  const headers = { 'content-type': 'text/plain' }
  const other = await gateway().send(clear, { body: 'namespace=shop', headers })
  expect([other.status, other.json()]).toMatchObject([400, { code: 'field_invalid', field: 'body' }])
})

test.each(['application/json', 'application/msgpack', 'x/y'])('a type without a body is no body: %s', async (type) => {
  const { status } = await gateway().send('DELETE /api/v1/slow', { headers: { 'content-type': type } })
  expect(status).toBe(200)
})
