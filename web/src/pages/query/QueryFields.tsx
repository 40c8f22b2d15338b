import { useQuery } from '@tanstack/react-query'
import { setsQuery } from '../../api/queries'
import { useBinNames } from '../../components/BinInput'
import { FilterBuilder } from '../../components/FilterBuilder'
import { NamespacePicker, SetPicker } from '../../components/pickers'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/inputs'
import type { QuerySearch } from './search'

export interface QueryForm {
  limit: string
  route: string
  select: string
}

interface Props {
  ns: string
  set: string
  where: string
  form: QueryForm
  valid: boolean
  running: boolean
  onSearch: (part: QuerySearch) => void
  onForm: (part: Partial<QueryForm>) => void
  onRun: () => void
  onStop: () => void
}

/** Where to look, what to look for, how much to bring. */
export function QueryFields({ ns, set, where, form, valid, running, onSearch, onForm, onRun, onStop }: Props) {
  const bins = useBinNames(ns, set)
  const sets = useQuery(setsQuery(ns)).data?.items ?? []
  const distribution = sets.find(({ name }) => name === set)?.distributionBin
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onRun()
      }}
    >
      <NamespacePicker value={ns} onChange={(next) => onSearch({ ns: next, set: undefined })} />
      <SetPicker ns={ns} value={set} all onChange={(next) => onSearch({ set: next === '' ? undefined : next })} />
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
      <div className="grid-2 pair">
        <TextField
          label="Limit"
          inputMode="numeric"
          value={form.limit}
          placeholder="all"
          onChange={(limit) => onForm({ limit })}
          hint="empty: all"
          error={form.limit === '' || /^[1-9]\d*$/.test(form.limit) ? undefined : 'A whole number'}
        />
        <TextField
          label="Bins to return"
          mono
          value={form.select}
          placeholder="all"
          onChange={(select) => onForm({ select })}
          hint="comma-separated"
        />
      </div>
      <div className="row end">
        {running ? (
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={!valid}>
            Run query
          </Button>
        )}
      </div>
    </form>
  )
}
