import { Tile } from '../../../components/Tile'
import { count, plural, rate, share } from '../../../format'
import { totalsOf, type SegmentMap } from './segment-map'

/** The whole map in four figures. */
export function SegmentTiles({ map }: { map: SegmentMap }) {
  const { segments, roles, records, primaryRecords, heat, fullest } = totalsOf(map)
  const owned = map.ownership !== undefined
  return (
    <div className="grid-4">
      <Tile
        name={owned ? 'Primary here' : 'Segments'}
        value={count(roles.primary)}
        note={
          owned
            ? `${count(roles.backup)} as backup, ${count(roles.other)} on other nodes`
            : 'without ownership, this node owns all segments'
        }
      />
      <Tile
        name="Records"
        value={count(records)}
        note={
          owned && records > 0 ? `${share(primaryRecords / records)} as primary` : `in ${plural(segments, 'segment')}`
        }
      />
      <Tile
        name="Largest over mean"
        value={fullest === undefined ? '–' : `${fullest.overMean.toFixed(2)}×`}
        note={
          fullest === undefined
            ? 'nothing stored yet'
            : `segment ${fullest.segment}: ${plural(fullest.records, 'record')}`
        }
      />
      <Tile name="Heat" value={heat === undefined ? '–' : rate(heat)} note="reads and writes of single records" />
    </div>
  )
}
