import type { Namespace } from '../../../api/types'
import { bytes, count, plural } from '../../../format'
import { Card } from '../../../ui/Card'
import { tookOf } from './RecoveryCard'

/** Recovery report of a paged namespace: log and indexes. */
export function PagesRecoveryCard({ recovery }: { recovery: NonNullable<Namespace['recovery']> }) {
  const { reason, records, blocks, bytesRead, seconds, indexes } = recovery
  return (
    <Card title="Recovery" aside={`opened in ${tookOf(seconds)}`}>
      <div className="stack-small">
        <dl className="facts">
          <dt>records</dt>
          <dd>{count(records)}</dd>
          <dt>log replayed</dt>
          <dd>{blocks === 0 ? 'nothing' : `${plural(blocks, 'change')}, ${bytes(bytesRead)}`}</dd>
          {indexes.loaded + indexes.rebuilt > 0 && (
            <>
              <dt>indexes</dt>
              <dd>
                {count(indexes.loaded)} loaded, {count(indexes.rebuilt)} rebuilt by jobs
              </dd>
            </>
          )}
        </dl>
        {indexes.rebuilt > 0 && reason !== undefined && <p className="mute">Rebuilt because {reason}.</p>}
      </div>
    </Card>
  )
}
