import { useRef, useSyncExternalStore, type MouseEvent } from 'react'
import type { Series } from '../spec/spec'
import { SeriesKey } from './SeriesKey'
import type { ChartSource } from './source'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

interface Entries {
  series: readonly Pick<Series, 'id' | 'name' | 'colour'>[]
  /** the name of the shaded spans */
  spans: string | undefined
}

/** What the legend of a source shows; the same object until that changes, so that new data renders nothing. */
export function useLegend(source: ChartSource): Entries {
  const last = useRef<Entries>({ series: [], spans: undefined })
  return useSyncExternalStore(source.subscribe, () => {
    const { series, spans } = source.read()
    if (spans?.name !== last.current.spans || !isSame(series, last.current.series))
      last.current = { series: series.map(({ id, name, colour }) => ({ id, name, colour })), spans: spans?.name }
    return last.current
  })
}

const isSame = (some: Entries['series'], others: Entries['series']): boolean =>
  some.length === others.length &&
  some.every(({ id, name, colour }, index) => {
    const other = others[index]
    return other?.id === id && other.name === name && other.colour === colour
  })

interface Props extends Entries {
  title: string
  hidden: readonly string[]
  onChange: (hidden: readonly string[]) => void
}

/** The series of a chart. A click switches one off and on; with Shift it leaves only that one. */
export function Legend({ title, series, spans, hidden, onChange }: Props) {
  const toggle = (id: string, { shiftKey }: MouseEvent): void => {
    const others = series.map((one) => one.id).filter((one) => one !== id)
    const isAlone = !hidden.includes(id) && others.every((one) => hidden.includes(one))
    if (shiftKey) onChange(isAlone ? [] : others)
    else onChange(hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id])
  }
  // One series needs no name beside the title.
  if (series.length <= 1 && spans === undefined) return null
  return (
    <div className="legend" role="group" aria-label={t('Series of {title}', { title })}>
      {series.map(({ id, name, colour }) =>
        series.length === 1 ? (
          <span key={id}>
            <SeriesKey colour={colour} />
            {name}
          </span>
        ) : (
          <Tip key={id} text={t('Click to switch off or on, with Shift to show only this')}>
            <button type="button" aria-pressed={!hidden.includes(id)} onClick={(event) => toggle(id, event)}>
              <SeriesKey colour={colour} />
              {name}
            </button>
          </Tip>
        ),
      )}
      {spans !== undefined && (
        <span>
          <i className="span" />
          {spans}
        </span>
      )}
    </div>
  )
}
