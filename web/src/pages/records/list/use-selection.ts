import { useCallback, useMemo, useState } from 'react'
import { type Exact, isExactObject } from '../../../records/json'
import { keyOf, type RecordKey } from '../../../records/key'
import { generationOf } from '../../../records/client'
import type { Marks } from '../../../table/marks'
import { digestOf, type RecordWindow } from './record-window'

/** Most records that can be selected at once. */
export const MOST_SELECTED = 10_000

/** A selected record: what is needed to name it, also after the window has let go of it. */
export interface Chosen {
  digest: string
  key: RecordKey
  /** the key as a batch takes it; undefined if it is not stored */
  stored: Exact | undefined
  generation: string
}

/** Undefined for a damaged record: it has no generation that a change could hold on to. */
export function chosenOf(record: Exact): Chosen | undefined {
  const key = keyOf(record)
  if (key === undefined || !isExactObject(record)) return undefined
  return { digest: digestOf(record), key, stored: record['key'], generation: generationOf(record) }
}

export interface Selection {
  chosen: readonly Chosen[]
  /** number of records, if all that the list can show are selected */
  whole: number | undefined
  marks: Marks<Exact>
  /** selects all records that the list can show, those too that are not loaded */
  chooseWhole: (total: number) => void
  /** selects all records that are loaded */
  all: () => void
  clear: () => void
  /** keeps only these, by digest */
  keep: (digests: ReadonlySet<string>) => void
}

/**
 * The selected records of a set, in the order in which they were selected. `version`: that of the window. `where`: the
 * filter of the list; with another one nothing is selected, because selected records may be out of sight.
 */
export function useSelection(window: RecordWindow, version: number, where: string): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen>>(new Map())
  const [whole, setWhole] = useState<number>()
  const [of, setOf] = useState(where)
  if (of !== where) {
    setOf(where)
    setWhole(undefined)
    setChosen(new Map())
  }
  const toggle = useCallback((record: Exact) => {
    const one = chosenOf(record)
    if (one === undefined) return
    setWhole(undefined)
    setChosen((old) => {
      const next = new Map(old)
      if (!next.delete(one.digest) && next.size < MOST_SELECTED) next.set(one.digest, one)
      return next
    })
  }, [])
  const clear = useCallback(() => {
    setWhole(undefined)
    setChosen(new Map())
  }, [])
  const keep = useCallback(
    (digests: ReadonlySet<string>) => setChosen((old) => new Map([...old].filter(([digest]) => digests.has(digest)))),
    [],
  )
  const all = useCallback(() => {
    const loaded = window.held().flatMap((record) => chosenOf(record) ?? [])
    setChosen((old) => {
      const next = new Map(old)
      for (const one of loaded) if (next.size < MOST_SELECTED) next.set(one.digest, one)
      return next
    })
  }, [window])
  const state = useMemo(() => {
    if (whole !== undefined) return 'all'
    if (chosen.size === 0) return 'none'
    const loaded = window.held()
    // A window that has changed holds other records.
    return version > 0 && loaded.every((record) => chosen.has(digestOf(record)) || chosenOf(record) === undefined)
      ? 'all'
      : 'some'
  }, [window, version, chosen, whole])
  const marks = useMemo(
    (): Marks<Exact> => ({
      has: (digest) => whole !== undefined || chosen.has(digest),
      toggle,
      nameOf,
      can,
      state,
      toggleAll: state === 'all' ? clear : all,
    }),
    [chosen, whole, toggle, state, clear, all],
  )
  return {
    chosen: useMemo(() => [...chosen.values()], [chosen]),
    whole,
    marks,
    chooseWhole: setWhole,
    all,
    clear,
    keep,
  }
}

const nameOf = (record: Exact): string => keyOf(record)?.text ?? digestOf(record)
const can = (record: Exact): boolean => keyOf(record) !== undefined
