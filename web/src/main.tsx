import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { clearCalls } from './api/calls'
import { meQuery } from './api/queries'
import { awaitFirstReads } from './api/prefetch'
import { queryClient } from './api/query-client'
import { onSignedOut } from './api/session-state'
import { here, withoutBase } from './base-path'
import { pause } from './pause'
import { router } from './routes'
import { forgetKeys } from './shell/commands/early-keys'

/** How long the first page waits at most for what it has begun to read, ms. */
const READS_MS = 1000

router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
  if (pathChanged) clearCalls()
})

/** The frame stays until the code of the page is there, and it is known who the caller is. */
async function begin(host: HTMLElement): Promise<void> {
  await pause()
  let isSignedOut = false
  const forget = onSignedOut(() => (isSignedOut = true))
  const known = location.pathname === here('/login') ? undefined : queryClient.prefetchQuery(meQuery())
  await pause()
  await Promise.all([router.load(), known])
  awaitFirstReads(READS_MS)
  forget()
  const next = withoutBase(location.pathname) + location.search
  if (isSignedOut) {
    // The next page asks for a password.
    forgetKeys()
    await router.navigate({ to: '/login', search: { next }, replace: true })
  }
  // In pieces, between which the browser draws and takes input.
  startTransition(() =>
    createRoot(host).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}

const host = document.getElementById('root')
if (host === null) throw new Error('index.html has no #root')
// Not awaited here: the code of pages imports this script, which would wait for itself.
void begin(host)
