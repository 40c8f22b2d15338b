import { TextField } from '../../ui/inputs'
import { type Pace, paceProblems } from './pace'
import { t } from '../../language/text'

interface Props {
  pace: Pace
  onChange: (pace: Pace) => void
}

/** Threads and throttle of a backup or a restore. */
export function PaceFields({ pace, onChange }: Props) {
  const problems = paceProblems(pace)
  return (
    <div className="grid-2 pair">
      <TextField
        label={t('Threads')}
        inputMode="numeric"
        value={pace.threads}
        placeholder="2"
        hint={t('1 to 128')}
        error={problems.threads}
        onChange={(threads) => onChange({ ...pace, threads })}
      />
      <TextField
        label={t('Records per second')}
        inputMode="numeric"
        value={pace.recordsPerSecond}
        placeholder={t('no limit')}
        hint={t('Can change while it runs')}
        error={problems.recordsPerSecond}
        onChange={(recordsPerSecond) => onChange({ ...pace, recordsPerSecond })}
      />
    </div>
  )
}
