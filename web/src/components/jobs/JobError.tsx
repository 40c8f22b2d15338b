import type { Job } from '../../api/types'
import { titleOf } from '../../api/problem'
import { serverText } from '../../language/server-text'

/** Why a job or a run ended early: what went wrong, its code, and what the server says. */
export function JobError({ error }: { error: NonNullable<Job['error']> }) {
  const title = titleOf(error)
  return (
    <div className="problem">
      <div className="spread">
        <strong>{title}</strong>
        <code>{error.code}</code>
      </div>
      {error.message !== title && <span>{serverText(error.message, error.said)}</span>}
    </div>
  )
}
