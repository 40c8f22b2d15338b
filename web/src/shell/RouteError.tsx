import type { ErrorComponentProps } from '@tanstack/react-router'
import { here } from '../base-path'
import { Button } from '../ui/Button'
import { Problem } from '../ui/Problem'

/** Shown if a page failed to render: the error, and links. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="content" id="content">
      <Problem error={error} />
      <div className="row">
        <Button onClick={reset}>Try again</Button>
        <a className="btn" href={here('/')}>
          Overview
        </a>
      </div>
    </main>
  )
}
