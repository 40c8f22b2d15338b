import { TextField } from '../../ui/inputs'
import { faultOf, type LimitsDraft } from './limits'

const CONFIGURED = 'as configured'

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
      <legend className="visually-hidden">Limits</legend>
      <div className="row">
        <TextField label="Requests a second" hint="0: no limit" {...field('requestsPerSecond')} />
        <TextField label="Burst" hint="After a pause" {...field('burst')} />
        <TextField label="Requests at once" hint="0: no limit" {...field('requestsAtOnce')} />
      </div>
    </fieldset>
  )
}
