import { Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState, type Ref } from 'react'
import { CellMap, type PaintCell } from '../../../charts/CellMap'
import { TableToggle } from '../../../charts/TableToggle'
import { share } from '../../../format'
import { Card } from '../../../ui/Card'
import { Segmented } from '../../../ui/Segmented'
import {
  isAmount,
  levelsOf,
  mapWords,
  measures,
  measuresOf,
  segmentWords,
  valuesOf,
  type Amount,
  type Measure,
  type SegmentMap,
} from './segment-map'
import { paintAmount, paintNode, paintRole } from './segment-paint'
import { SegmentLegend } from './SegmentLegend'
import { SegmentTable } from './SegmentTable'
import { spread } from './spread'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

const HEIGHT = 320
const LARGEST = 28

interface Props {
  ref: Ref<HTMLElement>
  ns: string
  map: SegmentMap
  /** place of the segment whose records are shown */
  opened: number | undefined
  onOpen: (segment: number) => void
}

/** One cell per segment, coloured by owner, primary node, size or heat. */
export function SegmentMapCard({ ref, ns, map, opened, onOpen }: Props) {
  const known = measuresOf(map)
  const [wanted, setWanted] = useState<Measure>()
  const measure = wanted !== undefined && known.includes(wanted) ? wanted : (known[0] ?? 'records')
  const [asTable, setAsTable] = useState(false)
  const choices = known.map((value) => ({ value, label: measures[value].label }))
  return (
    <Card
      ref={ref}
      title={t('Segment map')}
      aside={measures[measure].says}
      end={
        <>
          <Segmented label={t('Colour by')} value={measure} choices={choices} onChange={setWanted} />
          <TableToggle title={t('Segment map')} asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      <div className="with-side">
        {asTable ? (
          <SegmentTable map={map} onOpen={onOpen} />
        ) : (
          <MapCanvas map={map} measure={measure} opened={opened} onOpen={onOpen} />
        )}
        <div className="stack-small">
          <SegmentLegend map={map} measure={measure} />
          {isAmount(measure) && <SpreadFacts map={map} measure={measure} />}
          <Notes ns={ns} map={map} />
        </div>
      </div>
    </Card>
  )
}

function MapCanvas({ map, measure, opened, onOpen }: Omit<Props, 'ref' | 'ns'> & { measure: Measure }) {
  const levels = useMemo(() => (isAmount(measure) ? levelsOf(valuesOf(map, measure)) : []), [map, measure])
  const paint = useCallback<PaintCell>(
    (context, box, cell, colours) => {
      if (measure === 'role') paintRole(context, box, map, cell, colours)
      else if (measure === 'node') paintNode(context, box, map, cell, colours)
      else paintAmount(context, box, levels[cell])
    },
    [map, measure, levels],
  )
  return (
    <CellMap
      label={t('Segment map by {toLowerCase}; Enter shows the records of a segment', {
        toLowerCase: measures[measure].label.toLowerCase(),
      })}
      cells={map.segments.length}
      whole={mapWords(map)}
      wordsOf={(cell) => segmentWords(map, cell)}
      paint={paint}
      height={HEIGHT}
      largest={LARGEST}
      onOpen={(cell) => {
        const segment = map.segments[cell]
        if (segment !== undefined) onOpen(segment.segment)
      }}
      opened={opened}
    />
  )
}

function SpreadFacts({ map, measure }: { map: SegmentMap; measure: Amount }) {
  const { mean, least, most, deviation } = spread(valuesOf(map, measure))
  const { text } = measures[measure]
  return (
    <dl className="facts">
      <dt>{t('mean')}</dt>
      <dd>{text(mean)}</dd>
      <dt>{t('min')}</dt>
      <dd>{text(least)}</dd>
      <dt>{t('max')}</dt>
      <dd>{text(most)}</dd>
      <dt>{t('σ of mean')}</dt>
      <dd>{mean === 0 ? '–' : share(deviation / mean)}</dd>
    </dl>
  )
}

/** Notes on what the map cannot show. */
function Notes({ ns, map }: Pick<Props, 'ns' | 'map'>) {
  return (
    <>
      {map.ownership === undefined && (
        <p className="mute small">
          <Say
            text="Without ownership, this node owns every segment. Set nodes, owners and this node under <link>Configuration</link>."
            values={{
              link: (parts) => (
                <Link to="/namespaces/$ns/config" params={{ ns }}>
                  {parts}
                </Link>
              ),
            }}
          />
        </p>
      )}
      {map.flat && (
        <p className="mute small">
          {t(
            'The container is flat: one map holds the records of all segments. The memory of a segment is not known. This page reads all records, so it updates only every ten seconds.',
          )}
        </p>
      )}
      <p className="mute small">{t('Click a segment, or press Enter on it, for its records.')}</p>
    </>
  )
}
