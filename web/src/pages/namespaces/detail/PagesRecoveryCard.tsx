import type { Namespace } from '../../../api/types'
import { bytes, count } from '../../../format'
import { Card } from '../../../ui/Card'
import { tookOf } from './RecoveryCard'
import { t } from '../../../language/text'

/** Recovery report of a paged namespace: log and indexes. */
export function PagesRecoveryCard({ recovery }: { recovery: NonNullable<Namespace['recovery']> }) {
  const { reason, records, blocks, bytesRead, seconds, indexes } = recovery
  return (
    <Card title={t('Recovery')} aside={t('opened in {seconds}', { seconds: tookOf(seconds) })}>
      <div className="stack-small">
        <dl className="facts">
          <dt>{t('records')}</dt>
          <dd>{count(records)}</dd>
          <dt>{t('log replayed')}</dt>
          <dd>
            {blocks === 0
              ? t('nothing')
              : t('{blocks, plural, one {# change} other {# changes}}, {bytesRead}', {
                  blocks,
                  bytesRead: bytes(bytesRead),
                })}
          </dd>
          {indexes.loaded + indexes.rebuilt > 0 && (
            <>
              <dt>{t('indexes')}</dt>
              <dd>
                {t('{loaded} loaded, {rebuilt} rebuilt by jobs', {
                  loaded: count(indexes.loaded),
                  rebuilt: count(indexes.rebuilt),
                })}
              </dd>
            </>
          )}
        </dl>
        {indexes.rebuilt > 0 && reason !== undefined && (
          <p className="mute">{t('Rebuilt because {reason}.', { reason })}</p>
        )}
      </div>
    </Card>
  )
}
