import { Link } from '@tanstack/react-router'
import type { Status } from '../../api/types'
import { t } from '../../language/text'

const words: Record<Status['notices'][number]['state'], string> = {
  failed: t('could not be opened'),
  'read-only': t('refuses writes for now'),
  poisoned: t('refuses writes until the next start'),
  ready: t('is open, with damaged records'),
  recovering: t('is recovering'),
}

/** Notices about namespaces, one line each, with a link to the namespace. */
export function NamespaceNotices({ notices }: { notices: Status['notices'] }) {
  if (notices.length === 0) return null
  return (
    <ul className="notices">
      {notices.map(({ namespace, state, code, message }) => (
        <li key={namespace}>
          <Link to="/namespaces/$ns" params={{ ns: namespace }}>
            {namespace}
          </Link>{' '}
          {code === 'stop_writes' ? t('accepts no more data') : words[state]}
          {': '}
          {message}
        </li>
      ))}
    </ul>
  )
}
