import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useSignInAgain } from '../api/sign-in-again'
import { Toasts } from '../ui/toast'
import { Shell } from './Shell'

// Few people ever see it.
const SignInAgain = lazy(() => import('../pages/login/SignInAgain').then((module) => ({ default: module.SignInAgain })))

/** Everything but the sign-in page stands in the shell. */
export function Root() {
  const signingIn = useRouterState({ select: ({ location }) => location.pathname === '/login' })
  const again = useSignInAgain()
  return (
    <>
      {signingIn ? <Outlet /> : <Shell />}
      {again && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
      <Toasts />
    </>
  )
}
