import { useId, useRef, useSyncExternalStore, type ReactNode, type RefObject } from 'react'
import { indexAt } from '../spec/geometry'
import { insets } from '../spec/option'
import { xScale, type View } from '../spec/scale'
import type { Range } from '../spec/spec'
import { figuresAt, xText, type Figure } from '../spec/table'
import { useLinked, type ChartLink } from './link'
import { SeriesKey } from './SeriesKey'
import type { ChartSource } from './source'
import { useKeys } from './use-keys'
import { percentAt, usePointer, type Pointed } from './use-pointer'

/** More about the x under the crosshair; `yShare`: height of the pointer, 0 at the top. */
export type TipMore = (index: number, yShare: number) => ReactNode

export interface OverlayProps {
  title: string
  source: ChartSource
  link: ChartLink
  view: View
  more?: TipMore | undefined
  /** of the picture, CSS pixels */
  width: number
}

const HALF_PERCENT = 55

/** What moves over the picture of a chart: crosshair, values, selection. It works with pointer, touch and keys. */
export function Overlay(props: OverlayProps) {
  const { title, source, link } = props
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const { pointed, handlers } = usePointer(element, source, link, id)
  const onKeyDown = useKeys(source, link, id)
  const spec = source.read()
  const at = useLinked(link, (state) => state.at)
  const shown = xScale(spec.x, props.view.zoom)
  const index = at === undefined ? undefined : indexAt(spec.x.values, at, spec.x.step)
  const value = index === undefined ? undefined : spec.x.values[index]
  return (
    <div
      ref={element}
      className="overlay"
      style={insets(spec, props.width)}
      tabIndex={0}
      role="slider"
      aria-label={`Cursor of ${title}. Arrow keys move it, with Shift they select. Plus and minus zoom, 0 shows all, Escape clears.`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={at === undefined ? 100 : Math.round(Math.max(0, Math.min(100, percentAt(at, shown))))}
      aria-valuetext={value === undefined ? 'newest' : xText(spec.x, value)}
      onKeyDown={onKeyDown}
      {...handlers}
    >
      <Moving {...props} id={id} pointed={pointed} />
    </div>
  )
}

interface MovingProps extends OverlayProps {
  id: string
  pointed: RefObject<Pointed>
}

/** The parts over the picture. Without cursor and selection new data renders none of them. */
function Moving(props: MovingProps) {
  const { link, id } = props
  const hasAny = useLinked(link, ({ at, selection }) => at !== undefined || selection !== undefined)
  const speaks = useLinked(link, ({ at, byKeys, owner }) => at !== undefined && byKeys === true && owner === id)
  return (
    <>
      {hasAny && <Shown {...props} />}
      <span className="visually-hidden" role="status">
        {speaks && <Spoken {...props} />}
      </span>
    </>
  )
}

/** The figures under the crosshair, which change with the data. */
function useFigures({ source, link, view }: OverlayProps) {
  const spec = useSyncExternalStore(source.subscribe, source.read)
  const at = useLinked(link, (state) => state.at)
  const index = at === undefined ? undefined : indexAt(spec.x.values, at, spec.x.step)
  return { spec, at, index, figures: index === undefined ? undefined : figuresAt(spec, view, index) }
}

function Spoken(props: OverlayProps) {
  const { figures } = useFigures(props)
  return figures?.map(({ name, text }) => `${name} ${text}`).join(', ') ?? 'no data'
}

function Shown(props: MovingProps) {
  const { link, view, more, id, pointed } = props
  const { spec, at, index, figures } = useFigures(props)
  const { owner, byKeys, selection } = useLinked(link, (state) => state)
  const shown = xScale(spec.x, view.zoom)
  const place = at === undefined ? undefined : percentAt(at, shown)
  const isInside = place !== undefined && place >= 0 && place <= 100
  const x = index === undefined ? '' : xText(spec.x, spec.x.values[index] ?? 0)
  return (
    <>
      {selection !== undefined && <Brush from={percentAt(selection.from, shown)} to={percentAt(selection.to, shown)} />}
      {isInside && <i className="crosshair" style={{ left: `${place}%` }} />}
      {isInside && owner === id && index !== undefined && (
        <div className="tip" style={beside(place)}>
          <div>{figures === undefined ? `${x} · no data` : x}</div>
          {figures !== undefined && <Figures figures={figures} />}
          {figures !== undefined && more?.(index, byKeys === true ? -1 : pointed.current.yShare)}
        </div>
      )}
    </>
  )
}

function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl>
      {figures.map(({ name, text, thin, colour }) => (
        <div key={name} className={thin ? 'thin' : undefined}>
          <dt>
            {colour !== undefined && <SeriesKey colour={colour} />}
            {name}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

function Brush({ from, to }: Range) {
  const [left, right] = [Math.max(0, from), Math.min(100, to)]
  return right <= left ? null : <i className="brush" style={{ left: `${left}%`, width: `${right - left}%` }} />
}

function beside(place: number): { left: string } | { right: string } {
  return place > HALF_PERCENT ? { right: `calc(${100 - place}% + 12px)` } : { left: `calc(${place}% + 12px)` }
}
