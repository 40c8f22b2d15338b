import type { AuditEntry } from '../../api/types'
import { changesOf, type Change } from './changes'
import { t } from '../../language/text'

const SHOWN = 3

/** Settings before and after, one a line. */
export function ChangeCell({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return <span className="mute">–</span>
  const more = changes.slice(SHOWN)
  return (
    <div className="diff">
      {changes.slice(0, SHOWN).map((change) => (
        <div key={change.name} title={textOf(change)}>
          <span className="mute">{change.name} </span>
          {change.before !== undefined && <del>{change.before}</del>}{' '}
          {change.after !== undefined && <ins>{change.after}</ins>}
        </div>
      ))}
      {more.length > 0 && (
        <span className="mute" title={more.map(textOf).join('\n')}>
          {t('and {more, plural, one {# other} other {# others}}', { more: more.length })}
        </span>
      )}
    </div>
  )
}

const textOf = ({ name, before, after }: Change): string => `${name}: ${before ?? t('unset')} → ${after ?? t('unset')}`
