import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { setsQuery } from '../../api/sets'
import type { RecordSet } from '../../api/types'
import { count } from '../../format'
import type { Choice, ChoiceSearch } from '../../ui/choice'
import { setName } from './set-name'
import { useSettled } from './use-settled'

interface Options {
  ns: string
  /** the chosen value; empty for records without a set */
  value: string
  /** choices that are no sets, shown before them */
  others: readonly Choice<string>[]
  /** whether to offer the records without a set: always, never, or if there are some */
  withoutSet: 'always' | 'never' | 'present'
}

interface SetChoices {
  choices: Choice<string>[]
  /** set if the server searches, because there are more sets than one answer holds */
  search: ChoiceSearch<string> | undefined
  /** the sets among the choices */
  sets: readonly RecordSet[]
}

/** How long a typed text stands still before the server is asked. */
const SETTLED_MS = 150

const choiceOf = ({ name, records }: RecordSet): Choice<string> => ({
  value: name,
  label: `${setName(name)} (${count(records)})`,
})

/** Choices from the sets of a namespace: all of them if they are few, else those that the server finds. */
export function useSetChoices({ ns, value, others, withoutSet }: Options): SetChoices {
  const [text, setText] = useState('')
  const asked = useSettled(text.trim(), SETTLED_MS)
  const first = useQuery(setsQuery(ns)).data
  const many = first?.truncated === true
  const found = useQuery({
    ...setsQuery(ns, asked === '' ? {} : { q: asked }),
    enabled: many && asked !== '',
    placeholderData: keepPreviousData,
  })
  const searched = many && text.trim() !== ''
  const page = searched && asked !== '' ? found.data : first
  const sets = page?.items ?? []
  const listed = sets.filter(({ name }) => name !== '' || withoutSet !== 'never').map(choiceOf)
  const chosen = [...others, ...listed].find((choice) => choice.value === value) ?? { value, label: setName(value) }
  const extra = [
    ...(withoutSet === 'always' && sets.every(({ name }) => name !== '') ? [{ value: '', label: setName('') }] : []),
    ...(value !== '' && chosen.label === setName(value) ? [chosen] : []),
    ...(value === '' && withoutSet === 'present' && sets.every(({ name }) => name !== '') ? [chosen] : []),
  ].filter((choice) => others.every((other) => other.value !== choice.value))
  return {
    choices: searched ? listed : [...others, ...listed, ...extra],
    search: many
      ? {
          text,
          onText: setText,
          pending: searched && (asked !== text.trim() || found.isFetching),
          matching: page?.total.sets ?? 0,
          chosen,
        }
      : undefined,
    sets,
  }
}
