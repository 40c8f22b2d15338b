// The frame that is there before React has the marks and the words of what React draws.
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { frameOf } from '../../src/shell/frame'
import { Loading } from '../../src/shell/Loading'
import { Nav } from '../../src/shell/nav/Nav'
import { Gateway } from './gateway'
import { show } from './page'

const links = (within: ParentNode) =>
  [...within.querySelectorAll('a')].map((link) => [
    link.className.replace('active', '').trim(),
    link.pathname,
    link.text,
  ])
const headings = (within: ParentNode) => [...within.querySelectorAll('h2')].map(({ textContent }) => textContent)
const squares = (within: ParentNode) =>
  [...within.querySelectorAll('rect')].map((rect) =>
    ['x', 'y', 'width', 'height', 'rx', 'opacity'].map((name) => rect.getAttribute(name)),
  )

test('its navigation is that of an administrator', async () => {
  expect(new Gateway({})).toBeDefined()
  await show(() => <Nav />)
  await waitFor(() => expect(screen.getAllByRole('link').length).toBeGreaterThan(15))
  const frame = frameOf({ pathname: '/', search: '' })
  expect(links(frame)).toEqual(links(document.body))
  expect(headings(frame)).toEqual(headings(document.body))
  expect(squares(frame)).toEqual(squares(document.body))
  expect(frame.querySelectorAll('[aria-current=page]')).toHaveLength(1)
})

test.each([
  ['/records', 'Records'],
  ['/', 'Overview'],
  ['/namespaces/shop', undefined],
])('the page of %s is called %s, as while its code loads', async (pathname, title) => {
  await show(() => <Loading />, pathname)
  const frame = frameOf({ pathname, search: '' })
  expect([frame.querySelector('h1')?.textContent, document.querySelector('h1')?.textContent]).toEqual([title, title])
  const button = (within: ParentNode) => {
    const { className, textContent, innerHTML } = within.querySelector('.global > button') ?? {}
    return [className, textContent, /<path d="[^"]+"/.exec(innerHTML ?? '')?.[0]]
  }
  expect(button(frame)).toEqual(button(document))
  expect(button(frame)[1]).toBe('Search commandsCtrl K')
  const bones = (within: ParentNode) => within.querySelectorAll('.content > .card .skeleton').length
  expect(bones(frame)).toBe(bones(document))
})

test('a page on a wall has no navigation, and sign-in has its own form', () => {
  const kiosk = frameOf({ pathname: '/live', search: '?kiosk=true' })
  expect([kiosk.className, kiosk.querySelector('nav')]).toEqual(['shell kiosk', null])
  expect(frameOf({ pathname: '/login', search: '' }).querySelector('h1')?.textContent).toBe('Sign in to Tessera')
})
