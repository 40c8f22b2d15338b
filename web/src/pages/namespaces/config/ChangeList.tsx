import type { NamespaceConfig, PlannedChange } from '../../../api/types'
import { labelOf } from './catalogue'
import { t } from '../../../language/text'

interface Props {
  changes: readonly PlannedChange[]
  config: NamespaceConfig
}

/** What a change does: each setting with its old and its new value, and those that stay as they are. */
export function ChangeList({ changes, config }: Props) {
  const now = changes.filter(({ applies }) => applies === 'at_once')
  const left = changes.filter(({ applies }) => applies !== 'at_once')
  return (
    <div className="stack">
      {now.length === 0 && <p>{t('Nothing would change.')}</p>}
      {now.map((change) => (
        <Change key={change.field} change={change} config={config} />
      ))}
      {left.length > 0 && (
        <section className="stack-small" aria-label={t('Settings that stay as they are')}>
          <strong className="small">{t('These settings stay as they are')}</strong>
          {left.map((change) => (
            <Change key={change.field} change={change} config={config} />
          ))}
        </section>
      )}
    </div>
  )
}

function Change({ change: { field, from, to, effect }, config }: { change: PlannedChange; config: NamespaceConfig }) {
  return (
    <div className="stack-small">
      <div className="diff">
        <div>
          <strong>{labelOf(field, config)}</strong> <code className="mute">{field}</code>
        </div>
        <div>
          <del>{shown(from)}</del> <ins>{shown(to)}</ins>
        </div>
      </div>
      <p className="mute small">{effect}</p>
    </div>
  )
}

export const shown = (value: unknown): string =>
  value === undefined || value === null ? t('unset') : typeof value === 'string' ? value : JSON.stringify(value)
