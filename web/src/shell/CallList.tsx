import { useState } from 'react'
import type { Call } from '../api/calls'
import { type Language, languages, snippetOf } from '../api/snippets'
import { useCallPlace } from '../components/use-curl'
import { t } from '../language/text'
import { CopyButton } from '../ui/Copy'
import { plainChoices } from '../ui/inputs'
import { Segmented } from '../ui/Segmented'
import { callState } from './call-state'

/** The calls of a page, each to copy as a program. */
export function CallList({ calls }: { calls: readonly Call[] }) {
  const [language, setLanguage] = useState<Language>('curl')
  const place = useCallPlace()
  return (
    <>
      {calls.length > 0 && (
        <Segmented
          label={t('Language of the programs')}
          value={language}
          choices={plainChoices(languages)}
          onChange={setLanguage}
        />
      )}
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <span className="method">{call.method}</span>
            <span className="path">{call.path}</span>
            <span className={`nowrap ${typeof call.status === 'number' && call.status >= 400 ? 'bad' : ''}`}>
              {callState(call)}
              {call.times > 1 ? ` · ×${call.times}` : ''}
            </span>
            <CopyButton
              label={t('Copy as {language}', { language })}
              text={snippetOf(language, { method: call.method, path: call.path, ...call.sent }, place)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
