import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { NewRun } from '../../src/pages/benchmarks/NewRun'
import { type Answers, Gateway, refusal } from './gateway'
import { opened, show } from './page'

const RUN = 'POST /api/v1/workloads'

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [RUN]: { id: 'w1', state: 'running' }, ...answers })
  const onStarted = vi.fn<(id: string) => void>()
  const { user } = await show(opened((props) => <NewRun {...props} onStarted={onStarted} />))
  await waitFor(() => expect(field('Namespace').value).toBe('shop'))
  return { gateway, user, onStarted }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const run = (): HTMLButtonElement => screen.getByRole('button', { name: 'Run' })
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)

test('runs with the defaults in the largest namespace, and confirms its name', async () => {
  const { gateway, user, onStarted } = await open()
  await user.click(run())
  await waitFor(() => expect(onStarted).toHaveBeenCalledWith('w1'))
  expect(gateway.bodies(RUN)).toEqual([
    {
      namespace: 'shop',
      set: 'bench',
      workload: 'RU,95',
      object: 'B:1000',
      bins: 1,
      keys: 100_000,
      threads: 16,
      window: 1,
      durationSeconds: 10,
      fill: true,
    },
  ])
  expect(gateway.sent.find(({ line }) => line === RUN)?.headers.get('x-confirm')).toBe('shop')
})

test('a preset sets its fields and keeps the name; fields it does not have are gone', async () => {
  const { gateway, user, onStarted } = await open()
  await user.type(field('Name'), 'nightly')
  await user.type(field('Threads'), '9')
  await user.click(screen.getByRole('button', { name: 'Insert' }))
  expect(screen.queryByLabelText('Reads, %')).toBeNull()
  expect(screen.queryByLabelText('Write every key once before the run')).toBeNull()
  expect([field('Name').value, field('Threads').value, field('Seconds').value]).toEqual(['nightly', '16', '60'])
  await user.click(run())
  await waitFor(() => expect(onStarted).toHaveBeenCalled())
  expect(gateway.bodies(RUN)).toMatchObject([{ name: 'nightly', workload: 'I', durationSeconds: 60 }])
})

test('a workload of YCSB says what it needs, and has the records of YCSB', async () => {
  const { gateway, user, onStarted } = await open()
  await user.click(screen.getByRole('button', { name: 'E' }))
  expect(screen.getByText(/95% scans of up to 100 records/).textContent).toContain('They need the records of a load')
  await user.click(run())
  await waitFor(() => expect(onStarted).toHaveBeenCalled())
  expect(gateway.bodies(RUN)).toMatchObject([{ workload: 'YCSB,E', set: 'usertable', object: 'S:100', bins: 10 }])
})

test.each([
  ['Reads, %', '101', '0 to 100'],
  ['Threads', '0', '1 to 1,024'],
  ['Keys', '', '1 to 9,999,999,999'],
  ['Operations per second', 'fast', '1 to 100,000,000'],
  ['Record', 'B', 'Enter I, S:bytes or B:bytes, or several with commas'],
])('%s of “%s” is refused at its field', async (name, text, words) => {
  const { gateway, user } = await open()
  await user.clear(field(name))
  if (text !== '') await user.type(field(name), text)
  expect(alerts()).toEqual([words])
  expect(run().disabled).toBe(true)
  await user.type(field(name), '{Enter}')
  expect(gateway.bodies(RUN)).toEqual([])
})

test('a refusal is shown, and the form keeps its values', async () => {
  const { user, onStarted } = await open({ [RUN]: () => refusal(409, 'workload_running', 'Another run is at work.') })
  await user.type(field('Name'), 'nightly')
  await user.click(run())
  await screen.findByText('Another run is at work.')
  expect([field('Name').value, onStarted.mock.calls.length]).toEqual(['nightly', 0])
})
