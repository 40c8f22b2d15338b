import { useQuery } from '@tanstack/react-query'
import { setsQuery } from '../../api/queries'
import { AmountFields } from '../../components/AmountFields'
import { useBinNames } from '../../components/BinInput'
import { FilterBuilder } from '../../components/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/pickers'
import { RunForm } from '../../components/RunForm'
import { TextField } from '../../ui/inputs'
import type { QuerySearch } from './search'

export interface QueryForm {
  limit: string
  route: string
  select: string
}

interface Props {
  ns: string
  set: string | undefined
  where: string
  form: QueryForm
  problems: { where: string | undefined; limit: string | undefined }
  running: boolean
  onSearch: (part: QuerySearch) => void
  onForm: (part: Partial<QueryForm>) => void
  onRun: () => void
  onStop: () => void
}

/** Where to look, what to look for, how much to bring. */
export function QueryFields({ ns, set, where, form, problems, running, onSearch, onForm, onRun, onStop }: Props) {
  const bins = useBinNames(ns, set)
  const sets = useQuery(setsQuery(ns)).data?.items ?? []
  const distribution = sets.find(({ name }) => name === set)?.distributionBin
  return (
    <RunForm
      action="Run query"
      valid={problems.where === undefined && problems.limit === undefined}
      running={running}
      onRun={onRun}
      onStop={onStop}
    >
      <NamespacePicker value={ns} onChange={(next) => onSearch({ ns: next, set: undefined })} />
      <SetPicker ns={ns} value={set} absent="all sets" onChange={(next) => onSearch({ set: next })} />
      <FilterBuilder
        bins={bins}
        where={where}
        onChange={(text) => onSearch({ where: text === '' ? undefined : text })}
      />
      {distribution !== undefined && (
        <TextField
          label={
            <>
              Route: value of <code>{distribution}</code>
            </>
          }
          mono
          value={form.route}
          placeholder="ask all segments"
          onChange={(route) => onForm({ route })}
          hint="Only the segment of this value is asked"
        />
      )}
      <AmountFields
        limit={form.limit}
        bins={form.select}
        problem={problems.limit}
        onLimit={(limit) => onForm({ limit })}
        onBins={(select) => onForm({ select })}
      />
    </RunForm>
  )
}
