import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ScansPage } from '../../src/pages/scans/ScansPage'
import { faultOf } from '../ui/description'
import { type Answers, Gateway, json, refusal, type Sent } from './gateway'
import { show, takeClock } from './page'
import { pick } from '../ui/pick'

const SCAN = 'POST /api/v1/namespaces/shop/scan'
const plan = {
  method: 'set-index',
  reason: 'The set index is the cheapest.',
  estimatedRecords: 1200,
  namespaceRecords: 9000,
  segments: 256,
  threads: 8,
  estimatedMs: 7.4,
  alternatives: [{ method: 'all', estimatedMs: 312 }],
}
const job = { id: 'j1', kind: 'scan', state: 'done', damaged: 0, threads: 8, parameters: {}, result: { returned: 2 } }

/** Answers plans itself, and the scan as a test says. */
const scanning = (answer: (sent: Sent) => Response): Answers => ({
  [SCAN]: (sent: Sent) => (sent.query.has('explain') ? json(plan) : answer(sent)),
})
const lines = (...rows: string[]): Response =>
  new Response(rows.map((row) => `${row}\n`).join(''), { headers: { 'x-job-id': 'j1' } })

async function open(
  answers: Answers = scanning(() => lines('{"key":"a","bins":{"n":1}}', '{"key":"b","bins":{"n":2}}')),
) {
  const gateway = new Gateway({ 'GET /api/v1/jobs/j1': job, ...answers })
  const { user } = await show(ScansPage, '/scans')
  await screen.findByRole('option', { name: 'events (1,200)' })
  await screen.findByPlaceholderText('8')
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name, { selector: 'input, select' })
const run = (): HTMLButtonElement => screen.getByRole('button', { name: 'Run scan' })
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
const asked = ({ sent }: Gateway, explain: boolean): unknown[] =>
  sent
    .filter(({ line, query }) => line === SCAN && query.has('explain') === explain)
    .map(({ body }) => JSON.parse(body) as unknown)
const result = () => within(screen.getByRole('region', { name: 'Result' }))

test('without any input it scans the namespace with the threads of the machine, and shows what came', async () => {
  const { gateway, user } = await open()
  await user.click(run())
  await result().findByText(/^2 returned/)
  expect(asked(gateway, false)).toEqual([{ threads: 8, useIndex: 'auto', limit: 1000 }])
  expect(gateway.sent.find(({ line, query }) => line === SCAN && !query.has('explain'))?.headers.get('accept')).toBe(
    'application/x-ndjson',
  )
})

test('the form is the request, and its plan is asked for before', async () => {
  const { gateway, user } = await open()
  await pick(user, field('Set'), 'events')
  await user.type(field('Threads'), '2')
  await user.type(field('Records per second'), '5000')
  await pick(user, field('Set index'), 'force')
  await pick(user, field('Plan'), 'set-column')
  await user.clear(field('Limit'))
  await user.type(field('Limit'), '50')
  await user.type(field('Bins'), 'kind, n,')
  const wanted = {
    set: 'events',
    threads: 2,
    recordsPerSecond: 5000,
    bins: ['kind', 'n'],
    useIndex: 'force',
    plan: 'set-column',
    limit: 50,
  }
  await waitFor(() => expect(asked(gateway, true).at(-1)).toEqual(wanted))
  expect(screen.getByRole('region', { name: 'Plan' }).textContent).toContain(
    'Reads the set index · about 1,200 of 9,000 records · 256 segments · 8 threads · about 7.40 ms',
  )
  expect(asked(gateway, false)).toEqual([])
  await user.click(run())
  await result().findByText(/^2 returned/)
  expect(asked(gateway, false)).toEqual([wanted])
})

test('a job that was read before its rows had all come does not move them', async () => {
  const running = { ...job, state: 'running', namespace: 'shop', title: 'Scan shop', done: 0, recordsPerSecond: 0 }
  const { gateway, user } = await open({
    ...scanning(() => lines('{"key":"a"}', '{"key":"b"}')),
    'GET /api/v1/jobs/j1': running,
  })
  await user.click(run())
  await result().findByText(/^2 returned/)
  await waitFor(() => expect(gateway.sent.map(({ line }) => line)).toContain('GET /api/v1/jobs/j1'))
  await result().findByText(/8 threads/)
  expect(result().queryByRole('button', { name: 'Abort' })).toBeNull()
})

test('a result whose request was changed since says so, until it is the same again or runs anew', async () => {
  const { user } = await open()
  const note = () => result().queryByText('of the request before it was changed')
  await user.click(run())
  await result().findByText(/^2 returned/)
  expect(note()).toBeNull()
  await user.type(field('Threads'), '2')
  expect(note()).not.toBeNull()
  await user.clear(field('Threads'))
  expect(note()).toBeNull()
  await user.type(field('Threads'), '2')
  await user.click(run())
  await result().findByText(/^2 returned/)
  expect(note()).toBeNull()
})

test('a filter keeps every digit on its way', async () => {
  const { gateway, user } = await open()
  await user.click(screen.getByRole('button', { name: 'Add a condition' }))
  await user.clear(field('Bin or metadata'))
  await user.type(field('Bin or metadata'), 'n')
  await user.type(field('Value'), '9007199254740993')
  await user.click(run())
  await result().findByText(/^2 returned/)
  expect(gateway.sent.find(({ line, query }) => line === SCAN && !query.has('explain'))?.body).toContain(
    '"value": 9007199254740993',
  )
})

test('a share has a percentage and a seed; the first records and figures have no limit', async () => {
  const { gateway, user } = await open()
  expect(screen.queryByLabelText('Percent')).toBeNull()
  await pick(user, field('Sample'), 'a share')
  await user.clear(field('Percent'))
  await user.type(field('Percent'), '12.5')
  await user.clear(field('Seed'))
  await user.type(field('Seed'), '7{Enter}')
  await waitFor(() => expect(asked(gateway, false)).toHaveLength(1))
  await pick(user, field('Sample'), 'the first')
  await user.clear(field('Records'))
  await user.type(field('Records'), '20')
  expect([field('Limit').disabled, field('Limit').value]).toEqual([true, ''])
  await user.click(run())
  await waitFor(() => expect(asked(gateway, false)).toHaveLength(2))
  await pick(user, field('Sample'), 'all records')
  await user.click(screen.getByRole('button', { name: 'Add a figure' }))
  await user.click(run())
  await waitFor(() => expect(asked(gateway, false)).toHaveLength(3))
  expect(asked(gateway, false)).toEqual([
    { threads: 8, useIndex: 'auto', limit: 1000, sample: { share: 0.125, seed: 7 } },
    { threads: 8, useIndex: 'auto', sample: { first: 20 } },
    { threads: 8, useIndex: 'auto', aggregate: { count: { op: 'count' } } },
  ])
})

const wrong = [
  ['Threads', '0', 'A whole number from 1 to 128'],
  ['Threads', '129', 'A whole number from 1 to 128'],
  ['Threads', '1.5', 'A whole number from 1 to 128'],
  ['Records per second', 'fast', 'A whole number, 1 or more'],
  ['Records per second', '0', 'A whole number, 1 or more'],
  ['Limit', '-1', 'A whole number, 1 or more'],
] as const

test('what is out of its bounds is refused at its field, and nothing is asked for', async () => {
  const { pass } = takeClock()
  const { gateway, user } = await open()
  await waitFor(() => expect(asked(gateway, true)).toHaveLength(1))
  for (const [name, text, words] of wrong) {
    const before = field(name).value
    fireEvent.change(field(name), { target: { value: text } })
    pass()
    expect([name, ...alerts(), field(name).getAttribute('aria-invalid')]).toEqual([name, words, 'true'])
    expect(run().disabled).toBe(true)
    await user.type(field(name), '{Enter}')
    fireEvent.change(field(name), { target: { value: before } })
    expect([alerts(), run().disabled]).toEqual([[], false])
  }
  fireEvent.change(field('Threads'), { target: { value: '3' } })
  await waitFor(() => expect(asked(gateway, true).at(-1)).toMatchObject({ threads: 3 }))
  expect(new Set(asked(gateway, true).map((body) => JSON.stringify(body))).size).toBe(2)
  expect(asked(gateway, false)).toEqual([])
})

test.each([
  ['a share', 'Percent', '0', 'More than 0, up to 100'],
  ['a share', 'Percent', '101', 'More than 0, up to 100'],
  ['a share', 'Seed', '', 'A whole number, 0 or more'],
  ['the first', 'Records', '', 'A whole number, 1 or more'],
])('of %s, %s “%s” is refused at its field', async (sample, name, text, words) => {
  const { gateway, user } = await open()
  await pick(user, field('Sample'), sample)
  fireEvent.change(field(name), { target: { value: text } })
  expect([alerts(), run().disabled]).toEqual([[words], true])
  await user.type(field(name), '{Enter}')
  expect(asked(gateway, false)).toEqual([])
})

test('a condition or a figure without a bin holds the scan up', async () => {
  const { gateway, user } = await open()
  await user.click(screen.getByRole('button', { name: 'Add a condition' }))
  await user.type(field('Bin or metadata'), 'n')
  expect(['Value', 'Bin or metadata'].map((name) => faultOf(field(name)))).toEqual(['Enter a value', undefined])
  expect(run().disabled).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Remove this condition' }))
  expect(run().disabled).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Add a figure' }))
  await pick(user, field('Figure'), 'sum')
  expect([faultOf(field('Bin or metadata of the figure')), run().disabled]).toEqual(['Enter a bin', true])
  await user.type(field('Bin or metadata of the figure'), 'n')
  expect(run().disabled).toBe(false)
  expect(asked(gateway, false)).toEqual([])
})

test('a plan that the engine refuses is refused at its field, until another is chosen', async () => {
  const { gateway, user } = await open({
    [SCAN]: ({ body }: Sent) =>
      body.includes('"plan"') ? refusal(409, 'plan_not_possible', 'There is no device.', 'plan') : json(plan),
  })
  await pick(user, field('Plan'), 'device')
  await waitFor(() => expect(field('Plan').getAttribute('aria-invalid')).toBe('true'))
  expect([alerts().includes('There is no device.'), run().disabled]).toEqual([true, true])
  await pick(user, field('Plan'), 'auto')
  await waitFor(() => expect(run().disabled).toBe(false))
  expect([alerts(), asked(gateway, false)]).toEqual([[], []])
})

test('a refusal is shown beside the form, which keeps its values', async () => {
  const { user } = await open(scanning(() => refusal(429, 'overloaded', 'Too many scans.')))
  await user.type(field('Threads'), '2{Enter}')
  await result().findByText('Too many scans.')
  expect([field('Threads').value, run().disabled]).toEqual(['2', false])
})

test('Stop gives the scan up, and the rows that came stay', async () => {
  const { gateway, user } = await open({
    'GET /api/v1/jobs/j1': { ...job, state: 'running', namespace: 'shop', title: 'Scan shop', done: 0 },
    ...scanning(
      ({ signal }) =>
        new Response(
          new ReadableStream({
            start(rows) {
              rows.enqueue(new TextEncoder().encode('{"key":"a","bins":{"n":1}}\n'))
              signal.addEventListener('abort', () => rows.error(signal.reason))
            },
          }),
          { headers: { 'x-job-id': 'j1' } },
        ),
    ),
  })
  await user.click(run())
  const scan = gateway.sent.find(({ line, query }) => line === SCAN && !query.has('explain'))
  await result().findByRole('button', { name: 'Pause' })
  expect(screen.getAllByRole('button', { name: /^(Stop|Abort)$/ })).toHaveLength(1)
  await user.click(within(screen.getByRole('region', { name: 'Scan' })).getByRole('button', { name: 'Stop' }))
  await result().findByText(/stopped$/)
  expect([scan?.signal.aborted, asked(gateway, false).length]).toEqual([true, 1])
  expect(run().disabled).toBe(false)
})
