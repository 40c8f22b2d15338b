import type { Index } from '../../api/types'
import { moment } from '../../format'
import { Ago } from '../../ui/Time'
import { t } from '../../language/text'

/** When a query last found records by an index; without one, since when that is known. */
export function LastUse({ index: { lastUsedAt, usesSince } }: { index: Index }) {
  if (lastUsedAt !== undefined) return <Ago time={lastUsedAt} />
  return (
    <span
      className="mute"
      title={t('Uses are counted since {usesSince}.', { usesSince: moment(Date.parse(usesSince)) })}
    >
      {t('not used yet')}
    </span>
  )
}
