import { useRouterState } from '@tanstack/react-router'
import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'
import { navLabel } from './nav/nav-items'

/** Shown while the code of a page loads. */
export function Loading() {
  const title = navLabel(useRouterState({ select: ({ location }) => location.pathname }))
  return (
    <>
      <header className="pagebar">{title === undefined ? <div className="skeleton title" /> : <h1>{title}</h1>}</header>
      <main className="content" id="content">
        <Card>
          <Skeleton lines={6} />
        </Card>
      </main>
    </>
  )
}
