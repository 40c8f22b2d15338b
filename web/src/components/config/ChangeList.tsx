import { t } from '../../language/text'
import { serverText, type Said } from '../../language/server-text'

/** A change of a setting that the server has looked at. */
export interface Planned {
  field: string
  from?: unknown
  to?: unknown
  /** others than `at_once` stay as they are */
  applies: string
  effect: string
  said?: Said
}

interface Props {
  changes: readonly Planned[]
  /** the words of a setting */
  labelOf: (field: string) => string
}

/** What a change does: each setting with its old and its new value, and those that stay as they are. */
export function ChangeList({ changes, labelOf }: Props) {
  const now = changes.filter(({ applies }) => applies === 'at_once')
  const left = changes.filter(({ applies }) => applies !== 'at_once')
  return (
    <div className="stack">
      {now.length === 0 && <p>{t('Nothing would change.')}</p>}
      {now.map((change) => (
        <Change key={change.field} change={change} label={labelOf(change.field)} />
      ))}
      {left.length > 0 && (
        <section className="stack-small" aria-label={t('Settings that stay as they are')}>
          <strong className="small">{t('These settings stay as they are')}</strong>
          {left.map((change) => (
            <Change key={change.field} change={change} label={labelOf(change.field)} />
          ))}
        </section>
      )}
    </div>
  )
}

function Change({ change: { field, from, to, effect, said }, label }: { change: Planned; label: string }) {
  return (
    <div className="stack-small">
      <div className="diff">
        <div>
          <strong>{label}</strong> {label !== field && <code className="mute">{field}</code>}
        </div>
        <div>
          <del>{shown(from)}</del> <ins>{shown(to)}</ins>
        </div>
      </div>
      <p className="mute small">{serverText(effect, said)}</p>
    </div>
  )
}

export const shown = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? t('unset')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
