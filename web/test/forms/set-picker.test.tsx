import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import type { RecordSet } from '../../src/api/types'
import { SetPicker } from '../../src/components/fields/pickers'
import { Gateway, json, type Sent } from './gateway'
import { show } from './page'

const names = Array.from({ length: 65_000 }, (_, n) => `set-${String(n).padStart(5, '0')}`)

/** As the server answers: those with a part of the name, by name, at most so many. */
function listed({ query }: Sent): Response {
  const found = names.filter((name) => name.includes(query.get('q') ?? ''))
  const limit = Number(query.get('limit'))
  const items = found.slice(0, limit).map((name) => ({ name, records: 7, bytes: 70, limits: {} }))
  return json({ items, truncated: found.length > limit, limit, total: { sets: found.length, records: 0, bytes: 0 } })
}

function Page() {
  const [set, setSet] = useState<string | undefined>('set-64999')
  const [known, setKnown] = useState<RecordSet>()
  const choose = (next: string | undefined, found?: RecordSet): void => {
    setSet(next)
    setKnown(found)
  }
  return (
    <>
      <SetPicker ns="shop" value={set} onChange={choose} absent="all sets" />
      <output>{known?.records}</output>
    </>
  )
}

const options = (): (string | null)[] => screen.queryAllByRole('option').map(({ textContent }) => textContent)
const control = (): HTMLButtonElement => screen.getByLabelText('Set')

async function open() {
  const gateway = new Gateway({ 'GET /api/v1/namespaces/shop/sets': listed })
  const { user } = await show(Page)
  await waitFor(() => expect(control().nodeName).toBe('BUTTON'))
  control().focus()
  await user.keyboard('{ArrowDown}')
  await screen.findByRole('listbox')
  return { user, gateway }
}

test('a set that no first page has is chosen, and all can be found by keyboard alone', async () => {
  const { user, gateway } = await open()
  expect(control().textContent).toBe('set-64999')
  expect(screen.getByText(/of 65,000 are listed/).tagName).toBe('P')
  await user.keyboard('64321')
  await waitFor(() => expect(options()).toEqual(['set-64321 (7)']))
  await user.keyboard('{Enter}')
  await waitFor(() => expect(control().value).toBe('set-64321'))
  expect(screen.getByRole('status').textContent).toBe('7')
  const asked = gateway.sent.filter(({ line }) => line.endsWith('/sets')).map(({ query }) => query.get('q'))
  // Not once for each key, and never for all.
  expect(asked.filter((q) => q !== null)).toContain('64321')
  expect(gateway.sent.every(({ query }) => Number(query.get('limit') ?? 0) <= 100)).toBe(true)
})

test('no match is said when the server has answered', async () => {
  const { user } = await open()
  await user.keyboard('nothing')
  await waitFor(() => expect(screen.getByText('No matches.').className).toContain('nothing'))
  expect(options()).toEqual([])
})
