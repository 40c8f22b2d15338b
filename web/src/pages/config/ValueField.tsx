import type { ServerSetting } from '../../api/types'
import { bytes } from '../../format'
import { t } from '../../language/text'
import { Button } from '../../ui/Button'
import { describedBy } from '../../ui/described-by'
import { ErrorText } from '../../ui/ErrorText'
import { plainChoices, Select } from '../../ui/inputs'
import { NumberInput } from '../../ui/NumberField'
import { draftedText, problemOf } from './drafts'

interface Props {
  setting: ServerSetting
  draft: string | null | undefined
  /** what the server refused */
  refused: string | undefined
  /** undefined: no draft */
  onChange: (draft: string | null | undefined) => void
}

/** The field of a setting that can change here. */
export function ValueField({ setting, draft, refused, onChange }: Props) {
  const { key, form, source, value = '' } = setting
  const text = draftedText(setting, draft)
  const problem = problemOf(setting, draft) ?? refused
  const [hintId, errorId] = [`setting-${key}-hint`, `setting-${key}-error`]
  const isChanged = draft !== undefined && (draft === null || draft !== value)
  const words = form.kind === 'flag' ? ['true', 'false'] : form.kind === 'choice' ? (form.words ?? []) : undefined
  const hint = hintOf(setting, text)
  const described = [...(problem === undefined ? [] : [errorId]), ...(hint === undefined ? [] : [hintId])].join(' ')
  return (
    <div className="stack-small">
      {form.kind === 'integer' ? (
        <NumberInput
          className={`number${isChanged ? ' changed' : ''}`}
          aria-label={key}
          {...describedBy(problem === undefined ? undefined : errorId, hint === undefined ? undefined : hintId)}
          {...(form.min !== undefined && { min: form.min })}
          {...(form.max !== undefined && { max: form.max })}
          value={text}
          onChange={onChange}
        />
      ) : words === undefined ? (
        <input
          className={`input mono${form.kind === 'list' ? '' : ' number'}${isChanged ? ' changed' : ''}`}
          autoComplete="off"
          spellCheck={false}
          aria-label={key}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={described === '' ? undefined : described}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <Select aria-label={key} value={text} choices={plainChoices(words)} onChange={onChange} />
      )}
      {hint !== undefined && (
        <span className="mute small" id={hintId}>
          {hint}
        </span>
      )}
      {problem !== undefined && <ErrorText id={errorId}>{problem}</ErrorText>}
      {isChanged ? (
        <div className="row">
          <span className="mute small">{t('It was {was}.', { was: value === '' ? t('unset') : value })}</span>
          <Button
            small
            look="quiet"
            aria-label={t('Undo the edit of {label}', { label: key })}
            onClick={() => onChange(undefined)}
          >
            {t('Undo')}
          </Button>
        </div>
      ) : (
        source === 'file' && (
          <div className="row">
            <Button
              small
              look="quiet"
              aria-label={t('Use the default of {key}', { key })}
              onClick={() => onChange(null)}
            >
              {t('Use the default')}
            </Button>
          </div>
        )
      )}
    </div>
  )
}

function hintOf({ form }: ServerSetting, text: string): string | undefined {
  if (form.kind === 'list') return t('separated by “{separator}”', { separator: form.separator ?? ',' })
  if (form.unit === 'bytes' && /^\d+$/.test(text)) return bytes(Number(text))
  if (form.unit === 'days') return t('days')
  return form.unit === 'milliseconds' ? t('milliseconds') : undefined
}
