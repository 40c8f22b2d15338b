import type { Index } from '../../api/types'
import { moment } from '../../format'
import { Ago } from '../../ui/Time'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** When a query last found records by an index; without one, since when that is known. */
export function LastUse({ index: { lastUsedAt, usesSince } }: { index: Index }) {
  if (lastUsedAt !== undefined) return <Ago time={lastUsedAt} />
  return (
    <Tip text={t('Uses are counted since {usesSince}.', { usesSince: moment(Date.parse(usesSince)) })}>
      <span className="mute">{t('not used yet')}</span>
    </Tip>
  )
}
