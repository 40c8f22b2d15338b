import type { Status } from '../../api/types'
import { bytes } from '../../format'
import { Progress } from '../../ui/Progress'

/** Progress of a recovery: bytes read, then the merge of the indexes. */
export function RecoveryProgress({ progress }: { progress: Status['progress'][number] }) {
  const { namespace, phase, doneBytes, totalBytes } = progress
  return (
    <div className="recovery">
      <span>
        Recovering <strong>{namespace}</strong>
      </span>
      <Progress label={`Recovery of ${namespace}`} done={doneBytes} total={totalBytes} />
      <span className="num mute">
        {phase === 'indexing' ? 'merging indexes' : `${bytes(doneBytes)} of ${bytes(totalBytes)}`}
      </span>
    </div>
  )
}
