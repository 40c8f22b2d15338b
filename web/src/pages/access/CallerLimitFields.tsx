import { NumberField } from '../../ui/NumberField'
import { faultOf, type LimitsDraft, MOST } from './limits'
import { t } from '../../language/text'

const CONFIGURED = t('as configured')

/** How much a token or a user may ask for. */
export function CallerLimitFields({ draft, onChange }: { draft: LimitsDraft; onChange: (draft: LimitsDraft) => void }) {
  const field = (name: keyof LimitsDraft) => ({
    value: draft[name],
    max: MOST,
    placeholder: CONFIGURED,
    error: faultOf(draft, name),
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
  })
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">{t('Limits')}</legend>
      <div className="row">
        <NumberField label={t('Requests a second')} hint={t('0: no limit')} {...field('requestsPerSecond')} />
        <NumberField label={t('Burst')} hint={t('After a pause')} {...field('burst')} />
        <NumberField label={t('Requests at once')} hint={t('0: no limit')} {...field('requestsAtOnce')} />
      </div>
    </fieldset>
  )
}
