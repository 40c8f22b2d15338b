import type { Status } from '../../api/types'
import { clock } from '../../format'

/** Notices about the gateway, one line each, with their start. */
export function GatewayNotices({ notices }: { notices: Status['gatewayNotices'] }) {
  if (notices.length === 0) return null
  return (
    <ul className="notices">
      {notices.map(({ code, message, since }) => (
        <li key={code}>
          Since {clock(Date.parse(since))}: {message}
        </li>
      ))}
    </ul>
  )
}
