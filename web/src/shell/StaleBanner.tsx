import { clock } from '../format'
import { useStaleSince } from '../live/use-connection'
import { Say } from '../language/Say'

/** Says on every page since when no live figures have come, so that nobody takes the last ones for those of now. */
export function StaleBanner() {
  const since = useStaleSince()
  if (since === undefined) return null
  return (
    <div className="banner" role="status">
      <span>
        <Say
          text="No live figures since <num>{since}</num>. What is shown is from then, until the server answers again."
          values={{ since: clock(since) }}
        />
      </span>
    </div>
  )
}
