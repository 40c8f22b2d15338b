import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { activeOf, emptyWorkbench } from '../../src/pages/query/drafts/drafts'
import { QueryPanel } from '../../src/pages/query/QueryPanel'
import { faultOf } from '../ui/description'
import { type Answers, Gateway, refusal } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const QUERY = 'POST /api/v1/namespaces/shop/query'
const plan = { method: 'all', estimatedMs: 1, estimatedCandidates: 1200, steps: [], alternatives: [] }

function Editor() {
  const [bench, setBench] = useState(emptyWorkbench)
  return <QueryPanel draft={activeOf(bench)} defaultNamespace="shop" onUpdate={setBench} onRunning={() => undefined} />
}

async function open(answers: Answers = {}) {
  const gateway = new Gateway({
    [QUERY]: ({ body }: { body: string }) =>
      new Response(body.includes('"explain"') ? JSON.stringify(plan) : '', { headers: { 'x-job-id': 'j1' } }),
    'GET /api/v1/jobs/j1': { id: 'j1', kind: 'query', state: 'done', damaged: 0, threads: 1, parameters: {} },
    ...answers,
  })
  const { user } = await show(Editor, '/query')
  await screen.findByRole('option', { name: 'events (1,200)' })
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const text = (): HTMLTextAreaElement => screen.getByLabelText('Request as JSON')
const run = (): HTMLButtonElement => screen.getByRole('button', { name: 'Run query' })
/** The requests for records, not for plans. */
const runs = ({ sent }: Gateway): unknown[] =>
  sent
    .filter(({ line, body }) => line === QUERY && !body.includes('"explain"'))
    .map(({ body }) => JSON.parse(body) as unknown)

test('the form writes the request, and the request is what is sent', async () => {
  const { gateway, user } = await open()
  await pick(user, field('Set'), 'events')
  await user.click(screen.getByRole('button', { name: 'Add a condition' }))
  await user.clear(field('Bin or metadata'))
  await user.type(field('Bin or metadata'), 'n')
  await user.type(field('Value'), '9007199254740993')
  await user.clear(field('Limit'))
  await user.type(field('Limit'), '7')
  expect(text().value).toContain('"value": 9007199254740993')
  await user.click(run())
  await screen.findByText('No matching records')
  expect(gateway.sent.findLast(({ line, body }) => line === QUERY && !body.includes('explain'))?.body).toContain(
    '9007199254740993',
  )
  expect(runs(gateway)).toMatchObject([{ limit: 7, set: 'events', where: { bin: 'n', op: 'eq' } }])
})

test('a half-typed condition holds the query up and says why', async () => {
  const { gateway, user } = await open()
  await user.click(screen.getByRole('button', { name: 'Add a condition' }))
  await user.type(field('Bin or metadata'), 'n')
  expect([faultOf(field('Value')), faultOf(field('Bin or metadata'))]).toEqual(['Enter a value', undefined])
  expect(screen.getByText('Complete the marked fields of the form.').tagName).toBe('P')
  expect(run().disabled).toBe(true)
  await user.keyboard('{Control>}{Enter}{/Control}')
  expect(runs(gateway)).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Remove this condition' }))
  expect(run().disabled).toBe(false)
})

test('each row of the form says at its field what is wrong', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('button', { name: 'Add a column' }))
  await user.type(field('Path of this column'), 'a.b')
  await user.type(field('Order by path in the bin'), 'c')
  expect([faultOf(field('Bin of this column')), faultOf(field('Path of this column'))]).toEqual([
    'Enter a bin',
    undefined,
  ])
  expect(faultOf(field('Order by bin or metadata'))).toBe('Enter a bin')
  await user.click(screen.getByRole('button', { name: 'Add a figure' }))
  await pick(user, field('Figure'), 'histogram')
  await user.type(field('Bin or metadata of the figure'), 'n')
  expect(faultOf(field('Buckets: a width, bounds, or from..to/count'))).toMatch(/^Buckets: /)
  await user.clear(text())
  await user.paste('{"where":{"op":"unknown"}}')
  await user.clear(field('Condition as JSON'))
  await user.paste('5')
  expect(faultOf(field('Condition as JSON'))).toBe('Enter a JSON object')
})

test('text that is no JSON object keeps the form out and nothing is lost when it is one again', async () => {
  const { gateway, user } = await open()
  await user.clear(text())
  await user.paste('{"limit":3,"where":')
  expect(screen.getByText('Enter a valid JSON object to update the form.').getAttribute('role')).toBe('status')
  expect([run().disabled, text().getAttribute('aria-invalid')]).toEqual([true, 'true'])
  expect(screen.queryByLabelText('Limit')).toBeNull()
  await user.type(text(), '{{"bin":"n","op":"lt","value":5}}')
  await waitFor(() => expect(field('Limit').value).toBe('3'))
  expect([field('Bin or metadata').value, field('Comparison').value, field('Value').value]).toEqual(['n', 'lt', '5'])
  await user.type(text(), '{Control>}{Enter}{/Control}')
  await waitFor(() => expect(runs(gateway)).toEqual([{ limit: 3, where: { bin: 'n', op: 'lt', value: 5 } }]))
})

test('members that the form cannot show are kept and named', async () => {
  const { gateway, user } = await open()
  await user.clear(text())
  await user.paste('{"limit":3,"segments":[1,2]}')
  expect(screen.getByText(/Only the JSON shows/).textContent).toContain('segments')
  await user.clear(field('Limit'))
  await user.click(run())
  await waitFor(() => expect(runs(gateway)).toEqual([{ segments: [1, 2] }]))
})

test('another namespace has other sets', async () => {
  const { user } = await open()
  await pick(user, field('Set'), 'events')
  await pick(user, field('Namespace'), 'logs')
  expect(JSON.parse(text().value)).toEqual({ limit: 100 })
})

test('a refusal is shown, the request stays, and the next run takes its place', async () => {
  const { gateway, user } = await open({
    [QUERY]: ({ body }: { body: string }) =>
      body.includes('"explain"')
        ? new Response(JSON.stringify(plan))
        : refusal(422, 'filter_invalid', 'The filter has no such operator.', 'where'),
  })
  await user.click(run())
  await screen.findByText('The filter has no such operator.')
  expect(JSON.parse(text().value)).toEqual({ limit: 100 })
  gateway.answers[QUERY] = () => new Response('')
  await user.click(run())
  await screen.findByText('No matching records')
  expect(screen.queryByText('The filter has no such operator.')).toBeNull()
})
