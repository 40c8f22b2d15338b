import type { DeviceReport } from '../../../api/types'
import { Ago } from '../../../ui/Time'
import { serverText } from '../../../language/server-text'
import { Say } from '../../../language/Say'

/** The failure that blocks writes now, or else the newest failed flush. */
export function FailureNotes({ flush: { failure, failures, lastFailure } }: Pick<DeviceReport, 'flush'>) {
  if (failure !== undefined)
    return (
      <p className="note warn" role="alert">
        <Say
          text="Writes are refused: {message} <code>{id}</code>"
          values={{ message: failure.message, id: failure.code }}
        />
      </p>
    )
  if (lastFailure === undefined) return null
  return (
    <p className="note">
      <Say
        text="{failures, plural, one {# flush} other {# flushes}} failed since the namespace was opened, the last one {ago}: {message} <code>{id}</code>. Writes work again."
        values={{
          failures,
          ago: <Ago time={lastFailure.at} />,
          message: serverText(lastFailure.message),
          id: lastFailure.code,
        }}
      />
    </p>
  )
}
