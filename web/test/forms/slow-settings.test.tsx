import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SlowPage } from '../../src/pages/slow/SlowPage'
import { Gateway, refusal } from './gateway'
import { show } from './page'

const CHANGE = 'PATCH /api/v1/slow/settings'
const settings = { thresholdMs: 100, keepKeys: true, kept: 0, bytes: 0, mostBytes: 1_048_576, seen: 0 }

async function open(answer?: () => Response) {
  const namespaces: Record<string, number> = { logs: 20 }
  const gateway = new Gateway({
    'GET /api/v1/slow': { items: [], limit: 100, truncated: false },
    'GET /api/v1/slow/settings': () => Response.json({ ...settings, namespaces }),
    [CHANGE]: ({ body }) => {
      if (answer !== undefined) return answer()
      const change = JSON.parse(body) as { namespaces: Record<string, number | null> }
      for (const [name, ms] of Object.entries(change.namespaces))
        if (ms === null) delete namespaces[name]
        else namespaces[name] = ms
      return Response.json({ ...settings, namespaces })
    },
  })
  const { user } = await show(SlowPage, '/slow')
  await screen.findByRole('button', { name: 'Remove the threshold of logs' })
  await screen.findAllByRole('option', { name: 'shop' })
  return { gateway, user }
}

test('a namespace gets a threshold of its own, and loses it again', async () => {
  const { gateway, user } = await open()
  await user.selectOptions(screen.getAllByLabelText('Namespace').at(-1) as HTMLElement, 'shop')
  await user.type(screen.getByLabelText('Threshold of the namespace, in milliseconds'), '2.5')
  await user.click(screen.getByRole('button', { name: 'Set threshold' }))
  await user.click(await screen.findByRole('button', { name: 'Remove the threshold of shop' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove the threshold of shop' })).toBeNull())
  expect(gateway.bodies(CHANGE)).toEqual([{ namespaces: { shop: 2.5 } }, { namespaces: { shop: null } }])
})

test.each(['0', '-1', 'x', '3600001'])('the threshold %s is not sent', async (text) => {
  const { user } = await open()
  await user.type(screen.getByLabelText('Threshold of the namespace, in milliseconds'), text)
  screen.getByText('A number from 0.1 to 3,600,000')
  expect((screen.getByRole('button', { name: 'Set threshold' }) as HTMLButtonElement).disabled).toBe(true)
})

test('a refusal is shown, and what was typed stays', async () => {
  const { user } = await open(() => refusal(404, 'namespace_not_found', 'There is no namespace shop.'))
  await user.type(screen.getByLabelText('Threshold of the namespace, in milliseconds'), '5{Enter}')
  await screen.findByText(/There is no namespace shop/)
  expect((screen.getByLabelText('Threshold of the namespace, in milliseconds') as HTMLInputElement).value).toBe('5')
})
