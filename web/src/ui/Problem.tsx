import { advice, ApiProblem, detailOf, titleOf } from '../api/problem'
import { Button } from './Button'
import { t } from '../language/text'

/** An API error with its code, message and advice. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null
  if (!(error instanceof ApiProblem)) {
    return (
      <div className="problem" role="alert">
        <strong>{t('The console failed')}</strong>
        <span>{String(error instanceof Error ? error.message : error)}</span>
      </div>
    )
  }
  const next = advice(error)
  return (
    <div className="problem" role="alert">
      <div className="spread">
        <strong>{titleOf(error)}</strong>
        <code>
          {error.code}
          {error.status > 0 ? ` · ${error.status}` : ''}
        </code>
      </div>
      {error.detail !== '' && error.detail !== error.title && <span>{detailOf(error)}</span>}
      {next !== undefined && <span className="mute">{next}</span>}
      {onRetry !== undefined && (
        <div>
          <Button small onClick={onRetry}>
            {t('Try again')}
          </Button>
        </div>
      )}
    </div>
  )
}
