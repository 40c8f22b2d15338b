import { createContext, useContext, useState, useSyncExternalStore } from 'react'
import type { Range } from '../spec/spec'
import { keepRange, keptRange } from './view-link'

interface LinkState {
  /** the x of the crosshair */
  at?: number | undefined
  /** the y of the crosshair, on a heatmap */
  y?: number | undefined
  /** the chart that shows what is under the crosshair */
  owner?: string | undefined
  /** whether keys moved the crosshair, so that its values are spoken */
  byKeys?: boolean | undefined
  zoom?: Range | undefined
  selection?: Range | undefined
  /** the y values of a selected cell; unset: the selection is of whole columns */
  cell?: Range | undefined
}

/** What charts with the same x share: crosshair, zoom and selection. */
export class ChartLink {
  state: LinkState = {}
  #name: string | undefined
  readonly #listeners = new Set<() => void>()

  /** `selects`: a drag selects a span for the page. Otherwise it zooms to the span. */
  constructor(readonly selects = false) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The first chart names the link, and it takes what the address keeps for that name. */
  name(name: string): void {
    if (this.#name !== undefined) return
    this.#name = name
    const zoom = keptRange(name, 'zoom')
    const selection = this.selects ? keptRange(name, 'select') : undefined
    const cell = selection && keptRange(name, 'cell')
    if (zoom !== undefined || selection !== undefined) this.#change({ zoom, selection, cell })
  }

  hover(
    at: number | undefined,
    owner?: string,
    { byKeys = false, y }: { byKeys?: boolean; y?: number | undefined } = {},
  ): void {
    this.#change({ at, owner, byKeys, y })
  }

  select(selection: Range | undefined, cell?: Range): void {
    this.#change({ selection, cell })
    if (this.#name === undefined || !this.selects) return
    keepRange(this.#name, 'select', selection)
    keepRange(this.#name, 'cell', cell)
  }

  zoomTo(zoom: Range | undefined): void {
    this.#change({ zoom })
    if (this.#name !== undefined) keepRange(this.#name, 'zoom', zoom)
  }

  #change(part: LinkState): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.#listeners) listener()
  }
}

/** The link of the charts below; without it each chart is on its own. */
export const LinkContext = createContext<ChartLink | undefined>(undefined)

export function useLink(): ChartLink {
  const shared = useContext(LinkContext)
  const [own] = useState(() => new ChartLink())
  return shared ?? own
}

/** Renders again if the part of the state changes. */
export function useLinked<T>(link: ChartLink, read: (state: LinkState) => T): T {
  return useSyncExternalStore(link.subscribe, () => read(link.state))
}
