import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Me } from '../../src/api/types'
import { CommandSearch } from '../../src/shell/commands/CommandSearch'
import { keyAsked, setSearch } from '../../src/shell/commands/find-in-server'
import { type Answers, Gateway, json } from './gateway'
import { show } from './page'

const READ = 'POST /api/v1/namespaces/shop/sets/events/read'

async function open(answers: Answers = {}, caller?: Me) {
  const config = { storage: { engine: 'memory' } }
  const gateway = new Gateway({
    'GET /api/v1/namespaces': {
      items: [
        { name: 'shop', records: 1200, state: 'ready', config },
        { name: 'logs', records: 7, state: 'ready', config },
      ],
    },
    'GET /api/v1/namespaces/shop/sets': { items: [{ name: 'events', records: 1200 }] },
    'GET /api/v1/indexes': { items: [{ namespace: 'shop', name: 'by_kind', bin: 'kind', set: 'events' }] },
    'GET /api/v1/jobs': { items: [{ id: 'j1', title: 'Import into events', kind: 'import', state: 'done' }] },
    'GET /api/v1/queries': { items: [{ id: 'q1', name: 'late events', namespace: 'shop' }] },
    [READ]: () => new Response('{"key":"events","missing":true}\n'),
    ...answers,
  })
  const { user } = await show(() => <CommandSearch onDone={() => undefined} />, '/', '/', undefined, caller)
  return { gateway, user, field: await screen.findByLabelText('Command') }
}

const texts = (): string[] => screen.queryAllByRole('option').map(({ textContent }) => textContent)

test('a text finds sets, indexes, jobs and saved queries, each below its heading', async () => {
  const { user, field } = await open()
  await user.type(field, 'events')
  await waitFor(() =>
    expect(texts()).toEqual(['eventsshop', 'by_kindshop', 'late eventsshop', 'Import into eventsdone']),
  )
  const headings = ['Sets', 'Indexes', 'Saved queries', 'Jobs']
  expect(headings.map((heading) => screen.getAllByRole('group', { name: heading }).length)).toEqual([1, 1, 1, 1])
})

test('a key opens its record, also if it is named with its place', async () => {
  const { gateway, user, field } = await open({
    [READ]: () => new Response('{"key":42,"missing":true}\n{"key":"42","digest":"d","bins":{}}\n'),
  })
  await user.type(field, 'open record 42 in shop/events')
  await waitFor(() => expect(texts()).toContain('Open record 42shop/events'))
  // A slow typist asks for less first.
  const asked = () =>
    gateway.sent.filter(({ line }) => line === READ).map(({ body, query }) => [body, query.get('bins')])
  await waitFor(() => expect(asked()).toContainEqual(['[42,"42"]', '']))
})

test('the search of an earlier text is given up', async () => {
  const signals: AbortSignal[] = []
  const { user, field } = await open({
    'GET /api/v1/namespaces/shop/sets': ({ query, signal }) => {
      if (query.get('q') !== 'ev') return json({ items: [] })
      signals.push(signal)
      return new Promise<Response>(() => undefined)
    },
  })
  await user.type(field, 'ev')
  await waitFor(() => expect(signals).toHaveLength(1))
  await user.type(field, 'x')
  await waitFor(() => expect(signals[0]?.aborted).toBe(true))
})

test('who may read one namespace asks no other, and finds nothing there', async () => {
  const caller: Me = {
    id: 'p2',
    user: 'r',
    method: 'session',
    grants: [{ role: 'reader', namespace: 'logs', setPrefix: 'app' }],
  }
  const { gateway, user, field } = await open(
    { 'GET /api/v1/jobs': { items: [] }, 'GET /api/v1/indexes': { items: [] }, 'GET /api/v1/queries': { items: [] } },
    caller,
  )
  await user.type(field, 'events')
  await screen.findByText('No matches.')
  const lines = gateway.sent.map(({ line }) => line)
  expect(lines.filter((line) => line.includes('/shop/'))).toEqual([])
})

test.each([
  ['events', ['shop', 'logs'], 'events'],
  ['shop ev', ['shop'], 'ev'],
  ['log', ['shop', 'logs'], 'log'],
  ['', ['shop', 'logs'], ''],
])('the text %j is searched in %j for %j', (typed, places, q) => {
  expect(setSearch(typed, ['shop', 'logs'])).toEqual({ in: places, q })
})

test.each([
  ['user:42', 'user:42', undefined, undefined],
  ['open record user:42', 'user:42', undefined, undefined],
  ['a b in shop', 'a b', 'shop', undefined],
  ['42 in shop/events', '42', 'shop', 'events'],
  ['42 in shop/', '42', 'shop', ''],
])('the text %j asks for the key %j', (typed, text, ns, set) => {
  expect(keyAsked(typed)).toEqual({ text, ns, set })
})
