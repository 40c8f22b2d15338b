import type { AuditEntry } from '../../api/types'
import { changesOf, type Change } from './changes'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

const SHOWN = 3

/** Settings before and after, one a line. */
export function ChangeCell({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return <span className="mute">–</span>
  const more = changes.slice(SHOWN)
  return (
    <div className="diff">
      {changes.slice(0, SHOWN).map((change) => (
        <Tip key={change.name} cut text={textOf(change)}>
          <div>
            <span className="mute">{change.name} </span>
            {change.before !== undefined && <del>{change.before}</del>}{' '}
            {change.after !== undefined && <ins>{change.after}</ins>}
          </div>
        </Tip>
      ))}
      {more.length > 0 && (
        <Tip text={more.map(textOf).join('\n')}>
          <span className="mute">{t('and {more, plural, one {# other} other {# others}}', { more: more.length })}</span>
        </Tip>
      )}
    </div>
  )
}

const textOf = ({ name, before, after }: Change): string => `${name}: ${before ?? t('unset')} → ${after ?? t('unset')}`
