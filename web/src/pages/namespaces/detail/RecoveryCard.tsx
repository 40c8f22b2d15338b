import type { Namespace } from '../../../api/types'
import { bytes, count, duration, plural } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'

type Recovery = NonNullable<Namespace['recovery']>

/** Duration of a start, in words. */
export const tookOf = (seconds: number): string =>
  seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : duration(seconds)

/** Recovery report of a device namespace. */
export function RecoveryCard({ recovery }: { recovery: Recovery }) {
  const { start, reason, records, tombstones, blocks, bytesRead, seconds, torn, damaged, damage, indexes } = recovery
  return (
    <Card
      title="Recovery"
      aside={bytesRead === 0 ? 'the device was empty' : `${bytes(bytesRead)} read in ${tookOf(seconds)}`}
    >
      <div className="stack-small">
        <dl className="facts">
          <dt>start</dt>
          <dd>{start === 'warm' ? 'warm, from the index snapshot' : 'cold, from the records'}</dd>
          <dt>{start === 'warm' ? 'records' : 'record copies'}</dt>
          <dd>{count(records)}</dd>
          {indexes.loaded + indexes.rebuilt > 0 && (
            <>
              <dt>indexes</dt>
              <dd>
                {count(indexes.loaded)} loaded, {count(indexes.rebuilt)} rebuilt
              </dd>
            </>
          )}
          {start === 'cold' && (
            <>
              <dt>deletes</dt>
              <dd>{count(tombstones)}</dd>
              <dt>write blocks</dt>
              <dd>{count(blocks)}</dd>
              <dt>torn writes</dt>
              <dd>{torn === 0 ? 0 : `${count(torn)}, never acknowledged`}</dd>
              <dt>damaged</dt>
              <dd className={damaged > 0 ? 'bad' : undefined}>{count(damaged)}</dd>
            </>
          )}
        </dl>
        {reason !== undefined && <p className="mute">Cold because {reason}.</p>}
        {start === 'warm' ? (
          <p className="mute">Recovery did not read the records. A scrub job reads them all and finds damage.</p>
        ) : damaged === 0 ? (
          <p className="mute">Recovery found no damage on the device.</p>
        ) : (
          <DamageList damage={damage} damaged={damaged} />
        )}
      </div>
    </Card>
  )
}

function DamageList({ damage, damaged }: Pick<Recovery, 'damage' | 'damaged'>) {
  return (
    <>
      <DataTable
        label="Damaged places"
        rows={damage}
        keyOf={({ offset, reason }) => `${offset} ${reason}`}
        columns={[
          { name: 'offset', right: true, sort: ({ offset }) => offset, cell: ({ offset }) => count(offset) },
          { name: 'damage', cell: ({ reason }) => reason },
        ]}
      />
      <p className="mute">
        {damage.length < damaged && `The first ${plural(damage.length, 'place')}. `}
        Reads of damaged records answer record_damaged, never an older version. Write these records again to repair
        them.
      </p>
    </>
  )
}
