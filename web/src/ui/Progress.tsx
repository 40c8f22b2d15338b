interface Props {
  label: string
  done: number
  total: number | undefined
  tone?: 'good' | 'bad' | 'plain'
}

/** A progress bar; without a total it is indeterminate. */
export function Progress({ label, done, total, tone = 'plain' }: Props) {
  const known = total !== undefined && total > 0
  const percent = known ? Math.min(100, (done / total) * 100) : undefined
  return (
    <div
      className={`progress ${tone} ${known ? '' : 'unknown'}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === undefined ? undefined : Math.round(percent)}
    >
      <i style={{ width: `${percent ?? 0}%` }} />
    </div>
  )
}
