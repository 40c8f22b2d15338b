import { TextField } from '../../ui/inputs'
import { faultOf, type LimitsDraft } from './limits'
import { t } from '../../language/text'

const CONFIGURED = t('as configured')

/** How much a token or a user may ask for. */
export function CallerLimitFields({ draft, onChange }: { draft: LimitsDraft; onChange: (draft: LimitsDraft) => void }) {
  const field = (name: keyof LimitsDraft) => ({
    value: draft[name],
    inputMode: 'numeric' as const,
    placeholder: CONFIGURED,
    error: faultOf(draft, name),
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
  })
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">{t('Limits')}</legend>
      <div className="row">
        <TextField label={t('Requests a second')} hint={t('0: no limit')} {...field('requestsPerSecond')} />
        <TextField label={t('Burst')} hint={t('After a pause')} {...field('burst')} />
        <TextField label={t('Requests at once')} hint={t('0: no limit')} {...field('requestsAtOnce')} />
      </div>
    </fieldset>
  )
}
