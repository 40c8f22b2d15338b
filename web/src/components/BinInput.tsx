import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { isExactObject } from '../records/json'
import { readPage } from '../records/client'
import { Field } from '../ui/Field'

interface Props {
  ns: string
  /** empty for records without a set; undefined gives no suggestions */
  set: string | undefined
  value: string
  onChange: (bin: string) => void
  label?: string
}

const SAMPLE = 20

/** A bin's name, with the names seen in a sample of the set as suggestions. */
export function BinInput({ ns, set, value, onChange, label = 'Bin' }: Props) {
  const list = useId()
  const names = useBinNames(ns, set)
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input
            {...control}
            className="input mono"
            list={list}
            value={value}
            autoComplete="off"
            spellCheck={false}
            placeholder={names[0] ?? 'payload'}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

/** Bins of the first records of a set, by name. */
export function useBinNames(ns: string, set: string | undefined): string[] {
  const { data } = useQuery({
    queryKey: ['bins', ns, set],
    queryFn: async () => {
      const { items } = await readPage(ns, set ?? '', SAMPLE, undefined)
      const names = new Set<string>()
      for (const record of items) {
        const bins = isExactObject(record) ? record['bins'] : undefined
        if (isExactObject(bins)) for (const name of Object.keys(bins)) names.add(name)
      }
      return [...names].sort()
    },
    enabled: ns !== '' && set !== undefined,
    staleTime: 60_000,
  })
  return data ?? []
}
