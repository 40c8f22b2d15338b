import type { ErrorComponentProps } from '@tanstack/react-router'
import { here } from '../base-path'
import { Button } from '../ui/Button'
import { Problem } from '../ui/Problem'
import { t } from '../language/text'

/** Shown if a page failed to render: the error, and links. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="content" id="content">
      <Problem error={error} />
      <div className="row">
        <Button onClick={reset}>{t('Try again')}</Button>
        <a className="btn" href={here('/')}>
          {t('Overview')}
        </a>
      </div>
    </main>
  )
}
