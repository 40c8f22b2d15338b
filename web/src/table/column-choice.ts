import { useCallback, useState } from 'react'
import { dropKept, getKept, parseKept, putKept } from '../kept'

/** What a reader has chosen for the columns of a table. */
export interface ColumnChoice {
  /** by column: whether it is shown; unset: as the table has it */
  shown: Readonly<Record<string, boolean>>
  /** columns from left to right; those that it lacks come last */
  order: readonly string[]
  /** pixels, by column */
  widths: Readonly<Record<string, number>>
  /** columns that stay at the left */
  pinned: readonly string[]
}

export const NO_CHOICE: ColumnChoice = { shown: {}, order: [], widths: {}, pinned: [] }

export const NARROWEST = 48
export const WIDEST = 1200

const keyOf = (list: string): string => `tessera.columns.${list}`

const isText = (value: unknown): value is string => typeof value === 'string'
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : [])
const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** The kept choice. What another version or a hand has written and does not fit is left out. */
export function readChoice(list: string): ColumnChoice {
  const kept = parseKept(getKept('localStorage', keyOf(list)))
  if (kept === undefined) return NO_CHOICE
  return {
    shown: Object.fromEntries(
      entriesOf(kept['shown']).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    ),
    order: textsOf(kept['order']),
    widths: Object.fromEntries(
      entriesOf(kept['widths']).flatMap(([id, width]) =>
        typeof width === 'number' && Number.isFinite(width) ? [[id, bounded(width)]] : [],
      ),
    ),
    pinned: textsOf(kept['pinned']),
  }
}

/** Keeps it in this browser; that of a table as it is at first is forgotten. */
function keepChoice(list: string, choice: ColumnChoice): void {
  if (choice === NO_CHOICE) dropKept('localStorage', keyOf(list))
  else putKept('localStorage', keyOf(list), JSON.stringify(choice))
}

/** The columns that the reader chose for a list; without a list nothing is kept, and nothing can be chosen. */
export function useColumnChoice(list: string | undefined): [ColumnChoice, (next: ColumnChoice) => void] {
  const [state, setState] = useState(() => ({ list, choice: list === undefined ? NO_CHOICE : readChoice(list) }))
  const current = state.list === list ? state : { list, choice: list === undefined ? NO_CHOICE : readChoice(list) }
  if (current !== state) setState(current)
  const choose = useCallback(
    (choice: ColumnChoice) => {
      setState({ list, choice })
      if (list !== undefined) keepChoice(list, choice)
    },
    [list],
  )
  return [current.choice, choose]
}

export const bounded = (width: number): number => Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)))

export function withWidth(choice: ColumnChoice, id: string, width: number): ColumnChoice {
  return { ...choice, widths: { ...choice.widths, [id]: bounded(width) } }
}

export function withShown(choice: ColumnChoice, id: string, shown: boolean): ColumnChoice {
  return { ...choice, shown: { ...choice.shown, [id]: shown } }
}

/** `width`: that which it has now, because what stays in view needs a width of its own. */
export function withPin(choice: ColumnChoice, id: string, pinned: boolean, width: number): ColumnChoice {
  const others = choice.pinned.filter((other) => other !== id)
  return pinned ? { ...withWidth(choice, id, width), pinned: [...others, id] } : { ...choice, pinned: others }
}

/** Moves a column one place. `ids`: all columns from left to right. Pinned ones stay before the others. */
export function withMove(choice: ColumnChoice, ids: readonly string[], id: string, by: 1 | -1): ColumnChoice {
  if (choice.pinned.includes(id)) return { ...choice, pinned: swapped(choice.pinned, id, by) }
  const free = ids.filter((other) => !choice.pinned.includes(other))
  return { ...choice, order: [...choice.pinned, ...swapped(free, id, by)] }
}

function swapped(ids: readonly string[], id: string, by: 1 | -1): string[] {
  const from = ids.indexOf(id)
  const to = from + by
  const other = ids[to]
  if (from === -1 || other === undefined) return [...ids]
  return ids.map((one, at) => (at === from ? other : at === to ? id : one))
}
