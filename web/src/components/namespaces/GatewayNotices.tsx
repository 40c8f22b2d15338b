import type { Status } from '../../api/types'
import { clock } from '../../format'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

/** Notices about the gateway, one line each, with their start. */
export function GatewayNotices({ notices }: { notices: Status['gatewayNotices'] }) {
  if (notices.length === 0) return null
  return (
    <ul className="notices">
      {notices.map(({ code, message, said, since }) => (
        <li key={code}>
          {t('Since {since}: {message}', {
            since: clock(Date.parse(since)),
            message: serverText(message, said),
          })}
        </li>
      ))}
    </ul>
  )
}
