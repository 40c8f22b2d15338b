import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { CreateIndex } from '../../src/pages/indexes/CreateIndex'
import { type Answers, Gateway, refusal } from './gateway'
import { opened, show } from './page'

const BUILD = 'POST /api/v1/namespaces/shop/indexes'

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [BUILD]: { id: '1', kind: 'index-build', state: 'running' }, ...answers })
  const { user } = await show(opened((props) => <CreateIndex namespace="shop" {...props} />))
  await screen.findByRole('option', { name: 'events (1,200)' })
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const build = (): HTMLButtonElement => screen.getByRole('button', { name: 'Build index' })
const dialog = (): HTMLElement | null => screen.queryByRole('dialog')

test('a document index of one bin has the name of the bin and the threads of the machine', async () => {
  const { gateway, user } = await open()
  expect(build().disabled).toBe(true)
  await user.selectOptions(field('Set'), 'events')
  await user.type(field('Bin'), 'payload')
  await waitFor(() => expect(field('Threads').placeholder).toBe('8'))
  await user.click(build())
  await waitFor(() => expect(dialog()).toBeNull())
  expect(gateway.bodies(BUILD)).toEqual([
    { name: 'payload', set: 'events', bin: 'payload', kind: 'document', threads: 8 },
  ])
})

test('one of the whole record has no bin, and a range has a path', async () => {
  const { gateway, user } = await open()
  await user.selectOptions(field('Covers'), 'whole record')
  expect(screen.queryByLabelText('Bin')).toBeNull()
  await user.click(screen.getByRole('radio', { name: /^range/ }))
  expect(build().disabled).toBe(true)
  await user.type(field('Bin'), 'doc')
  await user.type(field('Path'), 'repo.id')
  await user.type(field('Name'), 'by-repo')
  await user.type(field('Threads'), '2{Enter}')
  await waitFor(() => expect(dialog()).toBeNull())
  expect(gateway.bodies(BUILD)).toEqual([{ name: 'by-repo', bin: 'doc', kind: 'range', path: 'repo.id', threads: 2 }])
})

test.each(['0', '129', '1.5', 'all'])('%s threads are refused at their field', async (threads) => {
  const { gateway, user } = await open()
  await user.type(field('Bin'), 'payload')
  await user.type(field('Threads'), threads)
  expect(screen.getByRole('alert').textContent).toBe('A whole number from 1 to 128')
  expect(build().disabled).toBe(true)
  await user.keyboard('{Enter}')
  expect(gateway.bodies(BUILD)).toEqual([])
})

test('another namespace has other sets', async () => {
  const { gateway, user } = await open({ 'POST /api/v1/namespaces/logs/indexes': { id: '1' } })
  await user.selectOptions(field('Set'), 'events')
  await user.selectOptions(field('Namespace'), 'logs')
  await user.type(field('Bin'), 'line')
  await user.click(build())
  await waitFor(() => expect(dialog()).toBeNull())
  expect(gateway.bodies('POST /api/v1/namespaces/logs/indexes')).toEqual([
    { name: 'line', bin: 'line', kind: 'document', threads: 8 },
  ])
})

test('a refusal is shown, and the form keeps its values for the next try', async () => {
  const { gateway, user } = await open({
    [BUILD]: () => refusal(409, 'index_exists', 'There is an index payload.', 'name'),
  })
  await user.type(field('Bin'), 'payload')
  await user.click(build())
  await screen.findByText('There is an index payload.')
  expect(field('Bin').value).toBe('payload')
  gateway.answers[BUILD] = { id: '1' }
  await user.type(field('Name'), 'second{Enter}')
  await waitFor(() => expect(dialog()).toBeNull())
  expect(gateway.bodies(BUILD)).toMatchObject([{ name: 'payload' }, { name: 'second', bin: 'payload' }])
})

test('what is being sent is not sent twice', async () => {
  let answer: (response: Response) => void = () => expect.unreachable('nothing was sent')
  const { gateway, user } = await open({ [BUILD]: () => new Promise<Response>((resolve) => (answer = resolve)) })
  await user.type(field('Bin'), 'payload{Enter}')
  await waitFor(() => expect(build().getAttribute('aria-busy')).toBe('true'))
  await user.keyboard('{Enter}')
  await user.click(build())
  answer(refusal(503, 'overloaded', 'Too many requests.'))
  await screen.findByText('Too many requests.')
  expect(gateway.bodies(BUILD)).toHaveLength(1)
})
