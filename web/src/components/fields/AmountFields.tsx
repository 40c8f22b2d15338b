import { TextField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { ONE_OR_MORE } from '../../ui/number'
import { t } from '../../language/text'

interface Props {
  limit: string
  bins: string
  problem: string | undefined
  /** Disables the limit, because the request cannot have one. */
  disabled?: boolean
  onLimit: (limit: string) => void
  onBins: (bins: string) => void
}

/** Fields for the number of records and their bins. */
export function AmountFields({ limit, bins, problem, disabled = false, onLimit, onBins }: Props) {
  return (
    <div className="grid-2 pair">
      <NumberField
        label={t('Limit')}
        {...ONE_OR_MORE}
        value={disabled ? '' : limit}
        disabled={disabled}
        placeholder={t('all')}
        onChange={onLimit}
        error={problem}
        hint={t('empty: all')}
      />
      <TextField
        label={t('Bins')}
        mono
        value={bins}
        placeholder={t('all')}
        onChange={onBins}
        hint={t('comma-separated')}
      />
    </div>
  )
}
