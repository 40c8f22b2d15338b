import type { DeviceReport } from '../../../api/types'
import { plural } from '../../../format'
import { Ago } from '../../../ui/Time'

/** What keeps writes out now; else the newest flush that failed, when its cause is gone. */
export function FailureNotes({ flush: { failure, failures, lastFailure } }: Pick<DeviceReport, 'flush'>) {
  if (failure !== undefined)
    return (
      <p className="note warn" role="alert">
        Writes are refused: {failure.message} <code>{failure.code}</code>
      </p>
    )
  if (lastFailure === undefined) return null
  return (
    <p className="note">
      {plural(failures, 'flush')} failed since the namespace was opened, the last one <Ago time={lastFailure.at} />:{' '}
      {lastFailure.message} <code>{lastFailure.code}</code>. Writes go on.
    </p>
  )
}
