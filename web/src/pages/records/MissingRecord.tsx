import { ApiProblem } from '../../api/problem'
import { fitsInt64 } from '../../records/json'
import type { RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { t } from '../../language/text'

interface Props {
  error: unknown
  target: RecordKey
  onRetry: () => void
  onOther: (type: RecordKey['type']) => void
}

/** A missing record. A key of digits may be a string or an integer, so the other type is offered. */
export function MissingRecord({ error, target, onRetry, onOther }: Props) {
  const other =
    target.type === 'integer' ? 'string' : target.type === 'string' && fitsInt64(target.text) ? 'integer' : undefined
  const absent = error instanceof ApiProblem && error.status === 404
  return (
    <div className="stack">
      <Problem error={error} onRetry={onRetry} />
      {absent && other !== undefined && (
        <div>
          <Button onClick={() => onOther(other)}>
            {t('Look for the {other} {text}', { other, text: target.text })}
          </Button>
        </div>
      )}
    </div>
  )
}
