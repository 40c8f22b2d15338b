import { Tile } from '../../../components/Tile'
import { count, rate, share, times } from '../../../format'
import { totalsOf, type SegmentMap } from './segment-map'
import { t } from '../../../language/text'

/** The whole map in four figures. */
export function SegmentTiles({ map }: { map: SegmentMap }) {
  const { segments, roles, records, primaryRecords, heat, fullest } = totalsOf(map)
  const owned = map.ownership !== undefined
  return (
    <div className="grid-4">
      <Tile
        name={owned ? t('Primary here') : t('Segments')}
        value={count(roles.primary)}
        note={
          owned
            ? t('{backup} as backup, {other} on other nodes', {
                backup: count(roles.backup),
                other: count(roles.other),
              })
            : t('without ownership, this node owns all segments')
        }
      />
      <Tile
        name={t('Records')}
        value={count(records)}
        note={
          owned && records > 0
            ? t('{primaryRecords} as primary', { primaryRecords: share(primaryRecords / records) })
            : t('in {segments, plural, one {# segment} other {# segments}}', { segments })
        }
      />
      <Tile
        name={t('Largest over mean')}
        value={times(fullest?.overMean)}
        note={
          fullest === undefined
            ? t('nothing stored yet')
            : t('segment {segment}: {records, plural, one {# record} other {# records}}', {
                segment: fullest.segment,
                records: fullest.records,
              })
        }
      />
      <Tile
        name={t('Heat')}
        value={heat === undefined ? '–' : rate(heat)}
        note={t('reads and writes of single records')}
      />
    </div>
  )
}
