import { useState } from 'react'
import { useCalls } from '../api/calls'
import { t } from '../language/text'
import { CallList } from './CallList'
import { callState } from './call-state'

/** The API calls of this page. The console uses only the public API. */
export function CallsFooter() {
  const calls = useCalls()
  const newest = calls[0]
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
                newest: callState(newest),
              })}
        </summary>
        {open && <CallList calls={calls} />}
      </details>
    </footer>
  )
}
