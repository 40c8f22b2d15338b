import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Namespace } from '../../src/api/types'
import { StateNote } from '../../src/pages/namespaces/detail/StateNote'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const BACK = 'POST /api/v1/namespaces/shop/migration/roll-back'
const failed = { name: 'shop', state: 'failed', stateCode: 'data_file_missing', stateReason: 'pages.tsp is missing' }

async function open(migration: Namespace['migration'], answers: Answers = {}) {
  const gateway = new Gateway(answers)
  const namespace = { ...failed, ...(migration !== undefined && { migration }) } as Namespace
  const { user } = await show(() => <StateNote namespace={namespace} />)
  await screen.findByText('pages.tsp is missing')
  return { gateway, user }
}
const back = (): HTMLElement | null => screen.queryByRole('button', { name: 'Roll back to the source…' })

test('the target of a migration that cannot be opened offers its source, after a confirmation', async () => {
  const { gateway, user } = await open({ phase: 'copying', cutOver: true }, { [BACK]: () => json({ phase: 'failed' }) })
  const sent = (): string[] => gateway.sent.map(({ line }) => line)
  await user.click(screen.getByRole('button', { name: 'Roll back to the source…' }))
  await screen.findByText(/the newest writes may be missing/)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(sent()).not.toContain(BACK)
  await user.click(screen.getByRole('button', { name: 'Roll back to the source…' }))
  await user.click(await screen.findByRole('button', { name: 'Roll back' }))
  await waitFor(() => expect(sent()).toContain(BACK))
})

test('a refusal is shown where it was asked for', async () => {
  const { user } = await open(
    { phase: 'copying', cutOver: true },
    { [BACK]: () => refusal(503, 'data_file_missing', 'data.tsr is missing') },
  )
  await user.click(screen.getByRole('button', { name: 'Roll back to the source…' }))
  await user.click(await screen.findByRole('button', { name: 'Roll back' }))
  expect(await screen.findByText('data_file_missing · 503')).toBeTruthy()
})

test('a source that lacks changes is not offered', async () => {
  await open({ phase: 'failed', cutOver: true })
  expect(back()).toBeNull()
  expect(screen.getByText(/The source lacks changes/)).toBeTruthy()
})

test.each([undefined, { phase: 'copying', cutOver: false } as const])(
  'nor is there one without a cut-over: %j',
  async (migration) => {
    await open(migration)
    expect(back()).toBeNull()
    expect(screen.getByRole('button', { name: 'Open it again' })).toBeTruthy()
  },
)
