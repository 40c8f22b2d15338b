import { useQuery } from '@tanstack/react-query'
import { memo, useCallback, useMemo, useState } from 'react'
import { pageMapQuery } from '../../../api/queries'
import type { PageMap } from '../../../api/types'
import { CellMap, type PaintCell } from '../../../charts/CellMap'
import { ChartTable } from '../../../charts/ChartTable'
import { TableToggle } from '../../../charts/TableToggle'
import { viridisColours } from '../../../charts/viridis'
import { count, share } from '../../../format'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Segmented } from '../../../ui/Segmented'
import { Skeleton } from '../../../ui/Skeleton'
import { cellColumns, cellTexts, cellWords, levelOf, mapWords, measures, totalsOf, type Measure } from './page-map'
import { t } from '../../../language/text'

const HEIGHT = 300
const choices = (['fill', 'heat', 'age'] as const).map((value) => ({ value, label: measures[value].label }))

interface Props {
  name: string
  pageBytes: number
  /** size of the log */
  ringBytes: number
  paused: boolean
}

/** All pages of the file, in cells of neighbouring pages, coloured by fill, heat or age. */
export const PageMapCard = memo(function PageMapCard({ name, pageBytes, ringBytes, paused }: Props) {
  const { data: map, error } = useQuery({ ...pageMapQuery(name), enabled: !paused })
  const [measure, setMeasure] = useState<Measure>('fill')
  const [asTable, setAsTable] = useState(false)
  return (
    <Card
      title={t('Page map')}
      aside={map === undefined ? undefined : cellSize(map)}
      end={
        <>
          <Segmented label={t('Colour by')} value={measure} choices={choices} onChange={setMeasure} />
          <TableToggle title={t('Page map')} asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      <Problem error={error} />
      {map === undefined && error === null && <Skeleton lines={6} />}
      {map !== undefined && (
        <div className="with-side">
          {asTable ? (
            <CellTable map={map} ringBytes={ringBytes} />
          ) : (
            <MapCanvas map={map} pageBytes={pageBytes} ringBytes={ringBytes} measure={measure} />
          )}
          <Side map={map} measure={measure} />
        </div>
      )}
    </Card>
  )
})

interface MapProps extends Pick<Props, 'pageBytes' | 'ringBytes'> {
  map: PageMap
  measure: Measure
}

function MapCanvas({ map, pageBytes, ringBytes, measure }: MapProps) {
  const paint = useCallback<PaintCell>(
    (context, { left, top, size }, cell) => {
      const level = levelOf(map, cell, measure)
      if (level === undefined) return
      context.fillStyle = viridisColours[level] ?? ''
      context.fillRect(left, top, size, size)
    },
    [map, measure],
  )
  return (
    <CellMap
      label={t('Page map by {measure}', { measure })}
      cells={map.used.length}
      whole={mapWords(map, pageBytes)}
      wordsOf={(cell) => cellWords(map, ringBytes, cell)}
      paint={paint}
      height={HEIGHT}
    />
  )
}

function CellTable({ map, ringBytes }: { map: PageMap; ringBytes: number }) {
  const rows = useMemo(() => map.used.map((_, cell) => cellTexts(map, ringBytes, cell)), [map, ringBytes])
  return <ChartTable caption={t('Page map')} head={cellColumns} rows={rows} />
}

/** The legend, and totals. */
function Side({ map, measure }: { map: PageMap; measure: Measure }) {
  const { used, free, fill, hot, cells, recent, kinds } = useMemo(() => totalsOf(map), [map])
  const { low, high, says } = measures[measure]
  const of = Math.max(1, used)
  return (
    <div className="stack-small">
      <span className="scale">
        {low} <i aria-hidden="true" /> {high}
      </span>
      <p className="mute small">{t('{says}; free cells are grey', { says })}</p>
      <dl className="facts">
        <dt>{t('pages in use')}</dt>
        <dd>{count(used)}</dd>
        <dt>{t('free pages')}</dt>
        <dd>{count(free)}</dd>
        <dt>{t('pages in use are full')}</dt>
        <dd>{share(fill)}</dd>
        <dt>{t('pages in use that are hot')}</dt>
        <dd>{share(hot)}</dd>
        <dt>{t('cells with a change in the log')}</dt>
        <dd>{share(recent / Math.max(1, cells))}</dd>
      </dl>
      <p className="mute small">
        {t('Free pages are in free extents, or in extents that a segment holds but does not use yet.')}
      </p>
      {kinds.length > 0 && (
        <>
          <p className="mute small">{t('cells by the most common kind of their pages')}</p>
          <dl className="facts">
            {kinds.map(({ kind, pages }) => (
              <Kind key={kind} kind={kind} share={share(pages / of)} />
            ))}
          </dl>
        </>
      )}
    </div>
  )
}

function Kind({ kind, share: part }: { kind: string; share: string }) {
  return (
    <>
      <dt>{kind}</dt>
      <dd>{part}</dd>
    </>
  )
}

function cellSize({ pagesPerCell }: PageMap): string {
  return t('a cell is {pagesPerCell}', {
    pagesPerCell:
      pagesPerCell === 1
        ? t('one page')
        : t('{pagesPerCell, plural, one {# neighbouring page} other {# neighbouring pages}}', { pagesPerCell }),
  })
}
