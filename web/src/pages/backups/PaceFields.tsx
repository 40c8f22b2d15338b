import { NumberField } from '../../ui/NumberField'
import { RATE, paceProblems, type Pace } from './pace'
import { t } from '../../language/text'
import { THREADS } from '../../ui/number'

interface Props {
  pace: Pace
  onChange: (pace: Pace) => void
}

/** Threads and throttle of a backup or a restore. */
export function PaceFields({ pace, onChange }: Props) {
  const problems = paceProblems(pace)
  return (
    <div className="grid-2 pair">
      <NumberField
        label={t('Threads')}
        {...THREADS}
        value={pace.threads}
        placeholder="2"
        hint={t('1 to 128')}
        error={problems.threads}
        onChange={(threads) => onChange({ ...pace, threads })}
      />
      <NumberField
        label={t('Records per second')}
        {...RATE}
        value={pace.recordsPerSecond}
        placeholder={t('no limit')}
        hint={t('Can change while it runs')}
        error={problems.recordsPerSecond}
        onChange={(recordsPerSecond) => onChange({ ...pace, recordsPerSecond })}
      />
    </div>
  )
}
