import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { StreamsPage } from '../../src/pages/streams/StreamsPage'
import { type Answers, Gateway, json, refusal, type Sent } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const STREAM = 'POST /api/v1/namespaces/shop/stream'
const plan = { method: 'all', estimatedMs: 1, estimatedCandidates: 1200, steps: [], alternatives: [] }
const job = { id: 'j1', kind: 'stream', state: 'done', damaged: 0, threads: 8, parameters: {}, result: {} }

// The page keeps its request in the window.
beforeEach(() => sessionStorage.clear())

async function open(answers: Answers = {}) {
  const gateway = new Gateway({
    'GET /api/v1/jobs/j1': job,
    [STREAM]: ({ body }: Sent) =>
      body.includes('"explain"') ? json(plan) : new Response('', { headers: { 'x-job-id': 'j1' } }),
    ...answers,
  })
  const { user } = await show(StreamsPage, '/streams')
  await screen.findByRole('option', { name: 'events (1,200)' })
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const text = (): HTMLTextAreaElement => screen.getByLabelText('Request as JSON')
const request = (): unknown => JSON.parse(text().value)
const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name })
const run = (): HTMLButtonElement => button('Run stream')
const kinds = (): string[] =>
  screen.queryAllByRole<HTMLSelectElement>('combobox', { name: /^Kind of step/ }).map(({ value }) => value)
const result = () => within(screen.getByRole('region', { name: 'Result' }))
/** The requests for elements, not for plans. */
const runs = ({ sent }: Gateway): unknown[] =>
  sent
    .filter(({ line, body }) => line === STREAM && !body.includes('"explain"'))
    .map(({ body }) => JSON.parse(body) as unknown)

test('the form writes the request, and the request is what is sent', async () => {
  const { gateway, user } = await open()
  await pick(user, field('Set'), 'events')
  await user.type(field('Threads'), '2')
  await user.type(field('Records per second'), '500')
  await user.click(button('Add a step'))
  await user.click(button('Add a condition'))
  await user.clear(field('Bin or metadata'))
  await user.type(field('Bin or metadata'), 'n')
  await user.type(field('Value'), '9007199254740993')
  await user.click(button('Add a step'))
  await pick(user, field('Kind of step 2'), 'limit')
  await user.clear(field('Maximum elements'))
  await user.type(field('Maximum elements'), '5{Enter}')
  await result().findByText('No matching records')
  expect(gateway.sent.findLast(({ line, body }) => line === STREAM && !body.includes('explain'))?.body).toContain(
    '9007199254740993',
  )
  expect(runs(gateway)).toMatchObject([
    { set: 'events', threads: 2, recordsPerSecond: 500, steps: [{ filter: { bin: 'n', op: 'eq' } }, { limit: 5 }] },
  ])
  expect(request()).toMatchObject({ steps: [{}, { limit: 5 }] })
})

test('a step that is not complete holds the stream up and says why', async () => {
  const { gateway, user } = await open()
  await user.click(button('Add a step'))
  await pick(user, field('Kind of step 1'), 'groupBy')
  expect(screen.getByText('Add a group key', { selector: 'span' }).className).toBe('mute small')
  expect(screen.getByText('Complete the marked fields of the form.').tagName).toBe('P')
  expect(run().disabled).toBe(true)
  await user.type(text(), '{Control>}{Enter}{/Control}')
  await user.click(button('Remove step 1'))
  expect([run().disabled, runs(gateway)]).toEqual([false, []])
})

test.each(['0', '129', '400'])(
  '%s threads are refused at their field, and only digits can be typed',
  async (threads) => {
    const { gateway, user } = await open()
    await user.clear(text())
    await user.paste(`{"steps":[],"threads":${threads}}`)
    expect(screen.getByRole('alert').textContent).toBe('A whole number from 1 to 128')
    expect([field('Threads').getAttribute('aria-invalid'), run().disabled]).toEqual(['true', true])
    await user.type(text(), '{Control>}{Enter}{/Control}')
    await user.clear(field('Threads'))
    await user.type(field('Threads'), '-1.6')
    expect([field('Threads').value, request()]).toEqual(['16', { steps: [], threads: 16 }])
    expect(runs(gateway)).toEqual([])
  },
)

test('a step that ends the stream stays the last, and only the last can become one', async () => {
  const { user } = await open()
  await user.click(button('Add a step'))
  await pick(user, field('Kind of step 1'), 'count')
  await user.click(button('Add a step'))
  expect(kinds()).toEqual(['filter', 'count'])
  const choices = async (step: number): Promise<(string | undefined)[]> => {
    await user.click(field(`Kind of step ${step}`))
    const options = await screen.findAllByRole('option')
    await user.keyboard('{Escape}')
    return options.map(({ dataset }) => dataset['value'])
  }
  expect([(await choices(1)).includes('count'), (await choices(2)).includes('count')]).toEqual([false, true])
  expect([button('Move step 1 down').disabled, button('Move step 2 up').disabled]).toEqual([true, true])
})

test('steps are moved and removed by keyboard, which is announced, and the focus stays with them', async () => {
  const { user } = await open()
  await user.clear(text())
  await user.paste('{"steps":[{"limit":1},{"distinct":true},{"limit":3}]}')
  await waitFor(() => expect(kinds()).toEqual(['limit', 'distinct', 'limit']))
  const said = (): string | null => within(screen.getByRole('group', { name: 'Steps' })).getByRole('status').textContent
  button('Move step 2 down').focus()
  await user.keyboard('{Enter}')
  expect([said(), kinds()]).toEqual(['distinct moved to step 3 of 3', ['limit', 'limit', 'distinct']])
  // It can go no further down.
  expect(document.activeElement).toBe(button('Move step 3 up'))
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(button('Move step 2 up'))
  expect(request()).toEqual({ steps: [{ limit: 1 }, { distinct: true }, { limit: 3 }] })
  await user.click(button('Remove step 1'))
  expect([said(), document.activeElement]).toEqual(['limit removed', field('Kind of step 1')])
  await user.click(button('Remove step 2'))
  await user.click(button('Remove step 1'))
  expect([kinds(), document.activeElement]).toEqual([[], button('Add a step')])
})

test('a kind that was left has its argument when it comes back', async () => {
  const { user } = await open()
  await user.click(button('Add a step'))
  await pick(user, field('Kind of step 1'), 'limit')
  await user.clear(field('Maximum elements'))
  await user.type(field('Maximum elements'), '77')
  await pick(user, field('Kind of step 1'), 'distinct')
  expect(request()).toEqual({ steps: [{ distinct: true }] })
  await pick(user, field('Kind of step 1'), 'limit')
  expect([field('Maximum elements').value, request()]).toEqual(['77', { steps: [{ limit: 77 }] }])
})

test('an example takes the place of the steps, with the bins of the records', async () => {
  const { gateway, user } = await open()
  await pick(user, field('Set'), 'events')
  await user.click(await screen.findByRole('button', { name: 'records by kind' }))
  expect(kinds()).toEqual(['groupBy'])
  await user.click(run())
  await waitFor(() => expect(runs(gateway)).toHaveLength(1))
  expect(runs(gateway)).toMatchObject([{ set: 'events', steps: [{ groupBy: { by: ['kind'] } }] }])
})

test('text that is no JSON object keeps the form out until it is one again', async () => {
  const { gateway, user } = await open()
  await user.clear(text())
  await user.paste('{"steps":[')
  expect(screen.getByText('Enter a valid JSON object to update the form.').getAttribute('role')).toBe('status')
  expect([run().disabled, text().getAttribute('aria-invalid')]).toEqual([true, 'true'])
  expect(screen.queryByRole('group', { name: 'Steps' })).toBeNull()
  await user.type(text(), '{{"count":true}]}')
  await waitFor(() => expect(kinds()).toEqual(['count']))
  await user.type(text(), '{Control>}{Enter}{/Control}')
  await waitFor(() => expect(runs(gateway)).toEqual([{ steps: [{ count: true }] }]))
})

test('members and steps that the form cannot show are kept', async () => {
  const { gateway, user } = await open()
  await user.clear(text())
  await user.paste('{"steps":[{"peek":1}],"segments":[1]}')
  await waitFor(() => expect(screen.getByText(/^Only the JSON shows/).textContent).toContain('steps, segments'))
  expect(screen.queryByRole('group', { name: 'Steps' })).toBeNull()
  await user.type(field('Threads'), '3')
  await user.click(run())
  await waitFor(() => expect(runs(gateway)).toEqual([{ steps: [{ peek: 1 }], segments: [1], threads: 3 }]))
})

test('what the engine says about a step stands at that step, and holds the stream up', async () => {
  const { gateway, user } = await open({
    [STREAM]: () => refusal(422, 'field_invalid', 'A limit is at most 100.', 'steps[1].limit'),
  })
  await user.clear(text())
  await user.paste('{"steps":[{"distinct":true},{"limit":900}]}')
  await waitFor(() => expect(run().disabled).toBe(true))
  const [first, second] = screen.getAllByRole('listitem')
  expect(within(second ?? document.body).getByRole('alert').textContent).toBe('field_invalidA limit is at most 100.')
  expect(within(first ?? document.body).queryByRole('alert')).toBeNull()
  await user.type(text(), '{Control>}{Enter}{/Control}')
  expect(runs(gateway)).toEqual([])
})

test('another namespace has other sets, and keeps the steps', async () => {
  const LOGS = 'POST /api/v1/namespaces/logs/stream'
  const { gateway, user } = await open({ [LOGS]: plan })
  await pick(user, field('Set'), 'events')
  await user.click(button('Add a step'))
  await pick(user, field('Kind of step 1'), 'count')
  await pick(user, field('Namespace'), 'logs')
  await waitFor(() => expect(request()).toEqual({ steps: [{ count: true }] }))
  await user.click(run())
  await waitFor(() => expect(gateway.bodies(LOGS)).toContainEqual({ steps: [{ count: true }] }))
})
