import type { DeviceReport } from '../../../api/types'
import { plural } from '../../../format'
import { Ago } from '../../../ui/Time'

/** The failure that blocks writes now, or else the newest failed flush. */
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
      {lastFailure.message} <code>{lastFailure.code}</code>. Writes work again.
    </p>
  )
}
