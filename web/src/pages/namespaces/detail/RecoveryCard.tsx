import type { Namespace } from '../../../api/types'
import { bytes, count, duration } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'

type Recovery = NonNullable<Namespace['recovery']>

/** Duration of a start, in words. */
export const tookOf = (seconds: number): string =>
  seconds < 1 ? t('{n} ms', { n: Math.max(1, Math.round(seconds * 1000)) }) : duration(seconds)

/** Recovery report of a device namespace. */
export function RecoveryCard({ recovery }: { recovery: Recovery }) {
  const { start, reason, records, tombstones, blocks, bytesRead, seconds, torn, damaged, damage, indexes } = recovery
  return (
    <Card
      title={t('Recovery')}
      aside={
        bytesRead === 0
          ? t('the device was empty')
          : t('{bytesRead} read in {seconds}', { bytesRead: bytes(bytesRead), seconds: tookOf(seconds) })
      }
    >
      <div className="stack-small">
        <dl className="facts">
          <dt>{t('start')}</dt>
          <dd>{start === 'warm' ? t('warm, from the index snapshot') : t('cold, from the records')}</dd>
          <dt>{start === 'warm' ? t('records') : t('record copies')}</dt>
          <dd>{count(records)}</dd>
          {indexes.loaded + indexes.rebuilt > 0 && (
            <>
              <dt>{t('indexes')}</dt>
              <dd>
                {t('{loaded} loaded, {rebuilt} rebuilt', {
                  loaded: count(indexes.loaded),
                  rebuilt: count(indexes.rebuilt),
                })}
              </dd>
            </>
          )}
          {start === 'cold' && (
            <>
              <dt>{t('deletes')}</dt>
              <dd>{count(tombstones)}</dd>
              <dt>{t('write blocks')}</dt>
              <dd>{count(blocks)}</dd>
              <dt>{t('torn writes')}</dt>
              <dd>{torn === 0 ? 0 : t('{torn}, never acknowledged', { torn: count(torn) })}</dd>
              <dt>{t('damaged')}</dt>
              <dd className={damaged > 0 ? 'bad' : undefined}>{count(damaged)}</dd>
            </>
          )}
        </dl>
        {reason !== undefined && <p className="mute">{t('Cold because {reason}.', { reason })}</p>}
        {start === 'warm' ? (
          <p className="mute">{t('Recovery did not read the records. A scrub job reads them all and finds damage.')}</p>
        ) : damaged === 0 ? (
          <p className="mute">{t('Recovery found no damage on the device.')}</p>
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
        label={t('Damaged places')}
        rows={damage}
        keyOf={({ offset, reason }) => `${offset} ${reason}`}
        columns={[
          {
            name: 'offset',
            label: t('offset'),
            right: true,
            sort: ({ offset }) => offset,
            cell: ({ offset }) => count(offset),
          },
          { name: 'damage', label: t('damage'), cell: ({ reason }) => reason },
        ]}
      />
      <p className="mute">
        {damage.length < damaged &&
          t('The first {damage, plural, one {# place} other {# places}}.', { damage: damage.length })}{' '}
        {t(
          'Reads of damaged records answer record_damaged, never an older version. Write these records again to repair them.',
        )}
      </p>
    </>
  )
}
