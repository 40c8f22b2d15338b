import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { type FunctionComponent, type ReactNode, useState } from 'react'
import { onTestFinished, vi } from 'vitest'
import { meQuery } from '../../src/api/queries'
import type { Me, Role } from '../../src/api/types'
import { parseSearch, stringifySearch } from '../../src/search'
import { Toasts } from '../../src/ui/toast'

interface Shown {
  user: UserEvent
  /** the path that the page has gone to */
  path: () => string
  /** the address that was drawn last, after the router has scrolled for it */
  drawn: () => string
}

/**
 * Renders a page of the console at `path`, with a cache and an address of its own; `address` fills its parameters in. The
 * caller has this role, or is this one.
 */
export async function show(
  Page: () => ReactNode,
  path = '/',
  address = path,
  around: FunctionComponent<{ children: ReactNode }> = ({ children }) => children,
  caller: Role | Me = 'admin',
): Promise<Shown> {
  const root = createRootRoute({ notFoundComponent: () => null })
  const page = createRoute({ getParentRoute: () => root, path, component: Page })
  const history = createMemoryHistory({ initialEntries: [address] })
  const routeTree = root.addChildren([page])
  const router = createRouter({ routeTree, history, defaultPendingMinMs: 0, parseSearch, stringifySearch })
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } })
  const me: Me =
    typeof caller === 'string' ? { id: 'p1', user: caller, grants: [{ role: caller }], method: 'session' } : caller
  queries.setQueryData(meQuery().queryKey, me)
  let drawn = ''
  router.subscribe('onRendered', ({ toLocation }) => void (drawn = toLocation.href))
  onTestFinished(dismissToasts)
  await router.load()
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
    { wrapper: around },
  )
  return { user: userEvent.setup(), path: () => history.location.pathname, drawn: () => drawn }
}

/** They outlive their page, and files of tests share them. */
function dismissToasts(): void {
  render(<Toasts />)
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) fireEvent.click(button)
  cleanup()
}

/** Takes the clock until the test ends. It goes on by itself, and `pass` skips the pause after which a page asks. */
export function takeClock(): { pass: () => void } {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: () => act(() => void vi.advanceTimersByTime(1000)) }
}

/** A dialog on a page: it is open until it closes itself. */
export function opened(Dialog: FunctionComponent<{ open: boolean; onClose: () => void }>): () => ReactNode {
  return function Opened() {
    const [open, setOpen] = useState(true)
    return <Dialog open={open} onClose={() => setOpen(false)} />
  }
}
