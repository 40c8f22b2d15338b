import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ApiPage } from '../../src/pages/api/ApiPage'
import { SHOWN_BYTES } from '../../src/pages/api/received'
import type { Role } from '../../src/api/types'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const key = { name: 'key', in: 'path', required: true, schema: { type: 'string' }, example: 'ada' }
const responses = { 200: { description: 'A record.', content: { 'application/json': { schema: { type: 'object' } } } } }
const document = {
  paths: {
    '/api/v1/things/{key}': {
      get: { operationId: 'getThing', summary: 'Read a thing', tags: ['things'], parameters: [key], responses },
      delete: { operationId: 'dropThing', summary: 'Drop a thing', tags: ['things'], parameters: [key], responses },
    },
    '/api/v1/namespaces': { post: { operationId: 'createNamespace', summary: 'Create', tags: ['ns'], responses } },
    '/api/v1/things': { get: { operationId: 'listThings', summary: 'List things', tags: ['things'], responses } },
  },
}
const THING = '/api/v1/things/a%20b'

async function open(address: string, answers: Answers, role: Role = 'admin') {
  const gateway = new Gateway({ 'GET /api/v1/openapi.json': document, ...answers })
  const shown = await show(ApiPage, '/api', address, undefined, role)
  await screen.findByRole('navigation', { name: 'Operations' })
  return { gateway, ...shown }
}

test('an operation is found, filled in and sent, and its numbers keep their digits', async () => {
  const answer = () => new Response('{"n":9007199254740993}', { headers: { 'content-type': 'application/json' } })
  const { user, drawn } = await open('/api', { [`GET ${THING}`]: answer })
  await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'read thing')
  await waitFor(() => expect(screen.queryByRole('link', { name: /Drop a thing/ })).toBeNull())
  await user.click(screen.getByRole('link', { name: /Read a thing/ }))
  const button = await screen.findByRole('button', { name: 'Send GET' })
  expect(button).toHaveProperty('disabled', true)
  expect(drawn()).toContain('op=getThing')
  expect(screen.getByLabelText('The call in curl').textContent).toContain('/api/v1/things/ada')
  await user.type(screen.getByRole('textbox', { name: /key/ }), 'a b')
  await user.click(button)
  expect((await screen.findByLabelText('Body of the answer')).textContent).toBe('{\n  "n": 9007199254740993\n}')
})

test('a refusal is an answer too', async () => {
  const { user } = await open('/api?op=listThings', { 'GET /api/v1/things': () => refusal(404, 'x', 'There is none.') })
  await user.click(screen.getByRole('button', { name: 'Send GET' }))
  expect((await screen.findByLabelText('Body of the answer')).textContent).toContain('There is none.')
})

test('a delete asks before it is sent', async () => {
  const { gateway, user } = await open('/api?op=dropThing', { [`DELETE ${THING}`]: () => json({}) })
  await user.type(screen.getByRole('textbox', { name: /key/ }), 'a b')
  await user.click(screen.getByRole('button', { name: 'Send DELETE' }))
  const dropped = () => gateway.sent.filter(({ line }) => line === `DELETE ${THING}`)
  expect(dropped()).toHaveLength(0)
  await user.click(await screen.findByRole('button', { name: 'Send' }))
  await waitFor(() => expect(dropped()).toHaveLength(1))
})

test('of an endless answer no more is read than the page shows', async () => {
  let given = 0
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (stream) => {
        given += 65_536
        stream.enqueue(new Uint8Array(65_536).fill(97))
      },
    })
  const { user } = await open('/api?op=listThings', {
    'GET /api/v1/things': () => new Response(body(), { headers: { 'content-type': 'text/csv' } }),
  })
  await user.click(screen.getByRole('button', { name: 'Send GET' }))
  await screen.findByText(/The first 256 KiB are shown/)
  expect(screen.getByLabelText('Body of the answer').textContent).toHaveLength(SHOWN_BYTES)
  expect(given).toBeLessThan(2 * SHOWN_BYTES)
})

test('an operation that the server does not have is named', async () => {
  await open('/api?op=absent', {})
  expect((await screen.findByRole('alert')).textContent).toContain('absent')
})

test('who may not send an operation reads which role may', async () => {
  await open('/api?op=createNamespace', {}, 'reader')
  expect((await screen.findByText(/Sending it needs the role/)).textContent).toContain('operator')
  expect(screen.queryByRole('button', { name: /^Send/ })).toBeNull()
})
