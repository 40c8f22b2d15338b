import { useId, useRef, useSyncExternalStore, type CSSProperties, type ReactNode } from 'react'
import { indexAt } from '../spec/geometry'
import { cellAt, placeOfRows } from '../spec/heat-cells'
import { insets } from '../spec/option'
import { xScale, type View } from '../spec/scale'
import type { Range } from '../spec/spec'
import { figuresAt, xText, type Figure } from '../spec/table'
import { useLinked, type ChartLink } from './link'
import { SeriesKey } from './SeriesKey'
import type { ChartSource } from './source'
import { useKeys } from './use-keys'
import { percentAt, usePointer } from './use-pointer'
import { t } from '../../language/text'

/** More about what is under the crosshair; `y` is known only on a heatmap. */
export type TipMore = (index: number, y: number | undefined) => ReactNode

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
const KEYS = t('Arrow keys move it, with Shift they select. Plus and minus zoom, 0 shows all, Escape clears.')
const HEAT_KEYS = `${KEYS} ${t('Up and down move between cells, Enter selects one.')}`

/** What moves over the picture of a chart: crosshair, values, selection. It works with pointer, touch and keys. */
export function Overlay(props: OverlayProps) {
  const { title, source, link } = props
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const handlers = usePointer(element, source, link, id)
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
      aria-label={t('Cursor of {title}. {heat}', { title, heat: spec.heat === undefined ? KEYS : HEAT_KEYS })}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={at === undefined ? 100 : Math.round(Math.max(0, Math.min(100, percentAt(at, shown))))}
      aria-valuetext={value === undefined ? t('newest') : xText(spec.x, value)}
      onKeyDown={onKeyDown}
      {...handlers}
    >
      <Moving {...props} id={id} />
    </div>
  )
}

interface MovingProps extends OverlayProps {
  id: string
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
  const { figures, index } = useFigures(props)
  const y = useLinked(props.link, (state) => state.y)
  if (figures === undefined || index === undefined) return t('no data')
  return (
    <>
      {y !== undefined && props.more?.(index, y)}
      {figures.map(({ name, text }) => `${name} ${text}`).join(', ')}
    </>
  )
}

function Shown(props: MovingProps) {
  const { link, view, more, id } = props
  const { spec, at, index, figures } = useFigures(props)
  const { owner, selection, cell, y } = useLinked(link, (state) => state)
  const shown = xScale(spec.x, view.zoom)
  const place = at === undefined ? undefined : percentAt(at, shown)
  const isInside = place !== undefined && place >= 0 && place <= 100
  const under = at !== undefined && y !== undefined && owner === id ? cellAt(spec, at, y) : undefined
  const start = index === undefined ? 0 : (spec.x.values[index] ?? 0)
  const x = index === undefined ? '' : xText(spec.x, start)
  return (
    <>
      {selection !== undefined && (
        <Brush
          from={percentAt(selection.from, shown)}
          to={percentAt(selection.to, shown)}
          {...(cell !== undefined && spec.heat !== undefined && { rows: placeOfRows(spec, cell) })}
        />
      )}
      {under !== undefined && (
        <Brush
          className="cell"
          from={percentAt(start, shown)}
          to={percentAt(start + (spec.x.step ?? 0), shown)}
          rows={placeOfRows(spec, under)}
        />
      )}
      {isInside && <i className="crosshair" style={{ left: `${place}%` }} />}
      {isInside && owner === id && index !== undefined && (
        <Tip place={place}>
          <div>{figures === undefined ? t('{x} · no data', { x }) : x}</div>
          {figures !== undefined && <Figures figures={figures} />}
          {figures !== undefined && more?.(index, y)}
        </Tip>
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

function Brush({ from, to, rows, className = 'brush' }: Range & { rows?: CSSProperties; className?: string }) {
  const [left, right] = [Math.max(0, from), Math.min(100, to)]
  return right <= left ? null : (
    <i {...{ className }} style={{ left: `${left}%`, width: `${right - left}%`, ...rows }} />
  )
}

/** Beside the crosshair, on the side with more room. The gap between them shrinks before the tip leaves the plot. */
function Tip({ place, children }: { place: number; children: ReactNode }) {
  const isLeft = place > HALF_PERCENT
  return (
    <div className={isLeft ? 'tip-lane left' : 'tip-lane'}>
      <span style={{ flexBasis: `calc(${isLeft ? 100 - place : place}% + 12px)` }} />
      <div className="tip">{children}</div>
    </div>
  )
}
