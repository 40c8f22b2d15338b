import { Outlet, useRouterState } from '@tanstack/react-router'
import { Toasts } from '../ui/toast'
import { Shell } from './Shell'

/** Everything but the sign-in page stands in the shell. */
export function Root() {
  const signingIn = useRouterState({ select: ({ location }) => location.pathname === '/login' })
  return (
    <>
      {signingIn ? <Outlet /> : <Shell />}
      <Toasts />
    </>
  )
}
