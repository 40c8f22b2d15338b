import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { Gateway, json } from './gateway'
import { show } from './page'

test('a page that is being read does not say that it has no records', async () => {
  let answer: (response: Response) => void = () => expect.unreachable('nothing was asked')
  const asked = new Promise<void>((resolve) => {
    const gateway = new Gateway({
      'GET /api/v1/namespaces/shop/sets/events/records': () =>
        new Promise<Response>((done) => {
          answer = done
          resolve()
        }),
    })
    expect(gateway.sent).toEqual([])
  })
  await show(RecordsPage, '/records', '/records?ns=shop&set=events')
  await asked
  expect(screen.queryByText(/0 records/)).toBeNull()
  answer(json({ items: [{ key: 'a', bins: { n: 1 } }] }))
  expect(await screen.findByText('1 record on this page')).toBeDefined()
})
