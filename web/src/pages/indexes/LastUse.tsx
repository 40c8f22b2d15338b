import type { Index } from '../../api/types'
import { moment } from '../../format'
import { Ago } from '../../ui/Time'

/** When a query last found records by an index; without one, since when that is known. */
export function LastUse({ index: { lastUsedAt, usesSince } }: { index: Index }) {
  if (lastUsedAt !== undefined) return <Ago time={lastUsedAt} />
  return (
    <span className="mute" title={`Uses are counted since ${moment(Date.parse(usesSince))}.`}>
      not used yet
    </span>
  )
}
