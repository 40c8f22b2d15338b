import { useState } from 'react'
import { useCalls, type Call } from '../api/calls'
import { useCurl } from '../components/use-curl'
import { CopyButton } from '../ui/Copy'
import { t } from '../language/text'

/** The API calls of this page. The console uses only the public API. */
export function CallsFooter() {
  const calls = useCalls()
  const newest = calls[0]
  const curlOf = useCurl()
  // A page that asks every second would make the whole list anew each time, and nobody sees it.
  const [open, setOpen] = useState(false)
  return (
    <footer className="calls" aria-label={t('API calls of this page')}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {newest === undefined
            ? t('No API calls yet')
            : t('API calls of this page: {calls} · {method} {path} {newest}', {
                calls: calls.length,
                method: newest.method,
                path: newest.path,
                newest: state(newest),
              })}
        </summary>
        <ul>
          {(open ? calls : []).map((call) => (
            <li key={call.id}>
              <span className="method">{call.method}</span>
              <span className="path">{call.path}</span>
              <span className={`nowrap ${typeof call.status === 'number' && call.status >= 400 ? 'bad' : ''}`}>
                {state(call)}
                {call.times > 1 ? ` · ×${call.times}` : ''}
              </span>
              <CopyButton
                label={t('Copy as curl')}
                text={curlOf({ method: call.method, path: call.path, ...call.sent })}
              />
            </li>
          ))}
        </ul>
      </details>
    </footer>
  )
}

function state(call: Call): string {
  if (call.status === undefined) return '…'
  if (call.status === 'stream') return '200 · stream'
  return t('{status} · {milliseconds} ms', { status: call.status, milliseconds: Math.round(call.milliseconds ?? 0) })
}
