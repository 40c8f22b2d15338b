import type { Status } from '../api/types'
import { clock } from '../format'

/** What is worth knowing about the gateway itself, one line each, and since when. */
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
