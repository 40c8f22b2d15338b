import { createMemoryHistory } from '@tanstack/react-router'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { RangeControl } from '../../src/components/RangeControl'
import { readRangeSearch, useRange } from '../../src/live/range'
import { router } from '../../src/routes'
import { show } from './page'

function Ranged() {
  const { words, stepMs } = useRange()
  return (
    <>
      <RangeControl />
      <p>{`last ${words} in columns of ${stepMs} ms`}</p>
    </>
  )
}

test.each([
  ['/live?ns=shop&window=1h', '/jobs', '/jobs?window=1h'],
  ['/?window=7d', '/live?ns=shop', '/live?window=7d&ns=shop'],
  ['/?window=7d', '/live?window=1m', '/live?window=1m'],
  ['/live?ns=shop', '/jobs', '/jobs'],
])('on %s a link to %s leads to %s', (here, href, wanted) => {
  router.update({ history: createMemoryHistory({ initialEntries: [here] }) })
  const { pathname, searchStr } = router.buildLocation({ href } as never)
  const [path, search] = wanted.split('?')
  const found = Object.fromEntries(new URLSearchParams(searchStr))
  expect(pathname).toBe(path)
  expect(found).toMatchObject(Object.fromEntries(new URLSearchParams(search)))
  expect(found['window']).toBe(new URLSearchParams(search).get('window') ?? undefined)
})

test('a choice is in the address, beside what the page keeps there', async () => {
  const { user, drawn } = await show(Ranged, '/', '/?ns=shop')
  screen.getByText('last 5 min in columns of 1000 ms')
  await user.click(screen.getByRole('radio', { name: '24 h' }))
  await waitFor(() => expect(drawn()).toBe('/?ns=shop&window=24h'))
  screen.getByText('last 24 hours in columns of 300000 ms')
  expect((screen.getByRole('radio', { name: '24 h' }) as HTMLInputElement).checked).toBe(true)
})

test('a range that there is not is left out', () => {
  expect([readRangeSearch({ window: '6h' }), readRangeSearch({ window: '9y' })]).toEqual([{ window: '6h' }, {}])
})
