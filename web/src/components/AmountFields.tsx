import { TextField } from '../ui/inputs'

interface Props {
  limit: string
  bins: string
  problem: string | undefined
  onLimit: (limit: string) => void
  onBins: (bins: string) => void
}

/** How much a search brings: how many records, and which of their bins. */
export function AmountFields({ limit, bins, problem, onLimit, onBins }: Props) {
  return (
    <div className="grid-2 pair">
      <TextField
        label="Limit"
        inputMode="numeric"
        value={limit}
        placeholder="all"
        onChange={onLimit}
        error={problem}
        hint="empty: all"
      />
      <TextField label="Bins" mono value={bins} placeholder="all" onChange={onBins} hint="comma-separated" />
    </div>
  )
}
