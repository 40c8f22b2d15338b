import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { acceptLoss, reopenNamespace } from '../../../api/actions'
import type { Namespace } from '../../../api/types'
import { RecoveryProgress } from '../../../components/RecoveryProgress'
import { useRefreshNamespaces } from '../../../components/use-job'
import { Button } from '../../../ui/Button'
import { Confirm } from '../../../ui/Confirm'
import { Problem } from '../../../ui/Problem'

/** Codes of failures that tell of acknowledged data that is gone. */
const LOSSES = new Set(['log_damaged', 'data_rolled_back', 'record_damaged'])

/** What is the matter with a namespace that is not ready, and what can be done about it. */
export function StateNote({ namespace }: { namespace: Namespace }) {
  const { state, stateReason, progress, limits } = namespace
  switch (state) {
    case 'ready':
      return (
        limits?.writesStopped === true && (
          <div className="problem" role="alert">
            <strong>This namespace takes no writes that add</strong>
            <span>{limits.reason}</span>
            <span className="mute">
              Delete or truncate records, raise “stop writes at” in Configuration, or let eviction make room.
            </span>
          </div>
        )
      )
    case 'recovering':
      return (
        progress !== undefined && (
          <div className="note warn">
            <RecoveryProgress progress={progress} />
          </div>
        )
      )
    case 'failed':
      return <Failed namespace={namespace} />
    case 'read-only':
      return (
        <div className="note warn" role="status">
          <strong>This namespace refuses writes for now</strong>
          <p>{stateReason}</p>
          <p className="mute">Reads go on. The device is tried again all the time; writes come back by themselves.</p>
        </div>
      )
    case 'poisoned':
      return (
        <div className="problem" role="alert">
          <strong>This namespace refuses writes</strong>
          <span>{stateReason}</span>
          <span className="mute">
            Look at the disk and the gateway's log, then restart: the index is rebuilt from what is on disk.
          </span>
        </div>
      )
  }
}

function Failed({ namespace: { name, stateCode, stateReason } }: { namespace: Namespace }) {
  const refresh = useRefreshNamespaces()
  const reopen = useMutation({ mutationFn: () => reopenNamespace(name), onSettled: refresh })
  return (
    <>
      <div className="problem" role="alert">
        <div className="spread">
          <strong>This namespace could not be opened</strong>
          <code>{stateCode}</code>
        </div>
        <span>{stateReason}</span>
        <span className="mute">
          The other namespaces are served. Its files and settings are left as they are: put right what is wrong, then
          open it again.
        </span>
        <div className="row">
          <Button small busy={reopen.isPending} onClick={() => reopen.mutate()}>
            Open it again
          </Button>
          {stateCode !== undefined && LOSSES.has(stateCode) && <OpenWithLoss name={name} reason={stateReason} />}
        </div>
      </div>
      <Problem error={reopen.error} />
    </>
  )
}

/** The explicit way on when data is gone: first what is lost, then the name typed. */
function OpenWithLoss({ name, reason }: { name: string; reason: string | undefined }) {
  const refresh = useRefreshNamespaces()
  const [asking, setAsking] = useState(false)
  const open = useMutation({
    mutationFn: () => acceptLoss(name),
    onSuccess: () => setAsking(false),
    onSettled: refresh,
  })
  return (
    <>
      <Button small look="danger" onClick={() => setAsking(true)}>
        Open with what is left…
      </Button>
      <Confirm
        title={`Open ${name} with what is left`}
        typed={name}
        action="Accept the loss"
        busy={open.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => open.mutate()}
      >
        <p>{reason}</p>
        <p>
          What is missing stays missing, also if you put the files back later. Copy the files first if you may still
          find a better copy. The loss stays listed in the namespace.
        </p>
        <Problem error={open.error} />
      </Confirm>
    </>
  )
}
