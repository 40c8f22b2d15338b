import { screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { QueryPage } from '../../src/pages/query/QueryPage'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { ScansPage } from '../../src/pages/scans/ScansPage'
import { StreamsPage } from '../../src/pages/streams/StreamsPage'
import { Gateway } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
})

async function open(name: string, Page: () => ReactNode) {
  const gateway = new Gateway()
  const shown = await show(Page, `/${name}`)
  await screen.findByRole('option', { name: 'events (1,200)' })
  await waitFor(() => expect(shown.drawn()).toBe(`/${name}`))
  return { gateway, ...shown }
}

test.each<[name: string, Page: () => ReactNode, field: string, choice: string]>([
  ['query', QueryPage, 'Set', 'events'],
  ['scans', ScansPage, 'Set', 'events'],
  ['streams', StreamsPage, 'Set', 'events'],
  ['streams', StreamsPage, 'Namespace', 'logs'],
  ['records', RecordsPage, 'Namespace', 'logs'],
])('the page %s stays where it is when a choice comes into its address', async (name, Page, field, choice) => {
  const { user, drawn } = await open(name, Page)
  scrollTo(0, 300)
  await pick(user, screen.getByLabelText(field), choice)
  await waitFor(() => expect(drawn()).toContain(choice))
  expect(scrollY).toBe(300)
})
