import { Link } from '@tanstack/react-router'
import type { Status } from '../../api/types'
import { Say } from '../../language/Say'
import { serverText } from '../../language/server-text'
import type { Tag } from '../../language/text'
import type { ReactNode } from 'react'

type NamespaceNotice = Status['notices'][number]

/** Notices about namespaces, one line each, with a link to the namespace. */
export function NamespaceNotices({ notices }: { notices: Status['notices'] }) {
  if (notices.length === 0) return null
  return (
    <ul className="notices">
      {notices.map((notice) => (
        <li key={notice.namespace}>
          <Words notice={notice} />
        </li>
      ))}
    </ul>
  )
}

function Words({ notice: { namespace: ns, state, code, ...notice } }: { notice: NamespaceNotice }) {
  const message = serverText(notice.message, notice.said)
  const link: Tag<ReactNode> = (parts) => (
    <Link to="/namespaces/$ns" params={{ ns }}>
      {parts}
    </Link>
  )
  if (code === 'stop_writes')
    return <Say text="<link>{ns}</link> accepts no more data: {message}" values={{ link, ns, message }} />
  switch (state) {
    case 'failed':
      return <Say text="<link>{ns}</link> could not be opened: {message}" values={{ link, ns, message }} />
    case 'read-only':
      return <Say text="<link>{ns}</link> refuses writes for now: {message}" values={{ link, ns, message }} />
    case 'poisoned':
      return (
        <Say text="<link>{ns}</link> refuses writes until the next start: {message}" values={{ link, ns, message }} />
      )
    case 'ready':
      return <Say text="<link>{ns}</link> is open, with damaged records: {message}" values={{ link, ns, message }} />
    case 'recovering':
      return <Say text="<link>{ns}</link> is recovering: {message}" values={{ link, ns, message }} />
  }
}
