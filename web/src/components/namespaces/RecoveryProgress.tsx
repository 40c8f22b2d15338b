import type { Status } from '../../api/types'
import { bytes } from '../../format'
import { Progress } from '../../ui/Progress'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Progress of a recovery: bytes read, then the merge of the indexes. */
export function RecoveryProgress({ progress }: { progress: Status['progress'][number] }) {
  const { namespace, phase, doneBytes, totalBytes } = progress
  return (
    <div className="recovery">
      <span>
        <Say
          text="Recovering <strong>{namespace}</strong>"
          values={{ strong: (parts) => <strong>{parts}</strong>, namespace }}
        />
      </span>
      <Progress label={t('Recovery of {namespace}', { namespace })} done={doneBytes} total={totalBytes} />
      <span className="num mute">
        {phase === 'indexing'
          ? t('merging indexes')
          : t('{doneBytes} of {totalBytes}', { doneBytes: bytes(doneBytes), totalBytes: bytes(totalBytes) })}
      </span>
    </div>
  )
}
