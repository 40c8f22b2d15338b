import { useId } from 'react'
import { JsonEditor } from '../../editor/JsonEditor'
import { faultOf, faultWords, laidOut } from '../../records/json-scan'
import type { BinVersions } from '../../records/merge'
import { describedBy } from '../../ui/described-by'
import { ErrorText } from '../../ui/ErrorText'
import { Segmented } from '../../ui/Segmented'
import { t } from '../../language/text'

/** Which value of a bin is saved. */
export type Choice = { by: 'mine' | 'theirs' } | { by: 'edit'; text: string }

export const firstChoice: Choice = { by: 'mine' }

interface Props {
  bin: BinVersions
  choice: Choice | undefined
  onChoose: (choice: Choice) => void
}

const sides = [
  ['base', 'Before'],
  ['mine', 'Yours'],
  ['theirs', 'Theirs'],
] as const

/** A bin that both sides changed: its three versions, and which one to save. */
export function ConflictFields({ bin, choice, onChoose }: Props) {
  const errorId = useId()
  const fault = choice?.by === 'edit' ? faultOf(choice.text) : undefined
  return (
    <div className="stack-small" role="group" aria-label={t('Versions of {name}', { name: bin.name })}>
      <div className="spread">
        <h3>
          <code>{bin.name}</code> <span className="mute small">{t('changed by both')}</span>
        </h3>
        <Segmented<Choice['by'] | 'none'>
          label={t('Value of {name}', { name: bin.name })}
          value={choice?.by ?? 'none'}
          choices={[
            { value: 'mine', label: t('Use yours') },
            { value: 'theirs', label: t('Use theirs') },
            { value: 'edit', label: t('Edit') },
          ]}
          onChange={(by) => {
            if (by === 'edit') onChoose({ by, text: pretty(bin.mine) ?? pretty(bin.theirs) ?? 'null' })
            else if (by !== 'none') onChoose({ by })
          }}
        />
      </div>
      {choice?.by === 'edit' && (
        <>
          <JsonEditor
            aria-label={t('Merged {name}', { name: bin.name })}
            value={choice.text}
            fault={fault}
            {...describedBy(fault && errorId)}
            onChange={(text) => onChoose({ by: 'edit', text })}
          />
          {fault !== undefined && <ErrorText id={errorId}>{faultWords(choice.text, fault)}</ErrorText>}
        </>
      )}
      <div className="merge-sides">
        {sides.map(([side, title]) => (
          <div key={side} className={choice?.by === side ? 'chosen' : undefined}>
            <span className="mute small">{title}</span>
            <pre className="json" tabIndex={0} aria-label={`${title}: ${bin.name}`}>
              {pretty(bin[side]) ?? t('no such bin')}
            </pre>
          </div>
        ))}
      </div>
    </div>
  )
}

const pretty = (value: string | undefined): string | undefined => (value === undefined ? undefined : laidOut(value, 2))
