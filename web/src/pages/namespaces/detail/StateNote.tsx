import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { acceptLoss, reopenNamespace, stepMigration } from '../../../api/actions'
import type { Namespace } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { RoleNeeded } from '../../../components/access/RoleNeeded'
import { RecoveryProgress } from '../../../components/namespaces/RecoveryProgress'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { useStatus } from '../../../components/use-status'
import { Button } from '../../../ui/Button'
import { Confirm } from '../../../ui/Confirm'
import { Problem } from '../../../ui/Problem'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { serverText } from '../../../language/server-text'

/** Error codes of lost acknowledged data. */
const LOSSES = new Set(['log_damaged', 'data_rolled_back', 'record_damaged'])

/** Why a namespace is not ready, and what to do. */
export function StateNote({ namespace }: { namespace: Namespace }) {
  const { state, stateReason, stateSaid, progress, limits } = namespace
  switch (state) {
    case 'ready':
      return (
        limits?.writesStopped === true && (
          <div className="problem" role="alert">
            <strong>{t('This namespace refuses writes that add data')}</strong>
            <span>{serverText(limits.reason ?? '', limits.said)}</span>
            <span className="mute">
              {t('Delete or truncate records, raise “stop writes at” in Configuration, or turn on eviction.')}
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
          <strong>{t('This namespace refuses writes for now')}</strong>
          <p>{serverText(stateReason ?? '', stateSaid)}</p>
          <p className="mute">
            {t('Reads still work. The server keeps trying the device; writes resume by themselves.')}
          </p>
        </div>
      )
    case 'poisoned':
      return (
        <div className="problem" role="alert">
          <strong>{t('This namespace refuses writes')}</strong>
          <span>{serverText(stateReason ?? '', stateSaid)}</span>
          <span className="mute">
            {t("Check the disk and the gateway's log, then restart the server. It rebuilds the index from the disk.")}
          </span>
        </div>
      )
  }
}

function Failed({ namespace: { name, stateCode, stateReason, stateSaid, migration } }: { namespace: Namespace }) {
  const refresh = useRefreshNamespaces()
  // An open that takes long is a recovery: the banner of all pages shows it a few seconds after its begin.
  useStatus()
  const reopen = useMutation({ mutationFn: () => reopenNamespace(name), onSettled: refresh })
  const reopens = useMay()('reopenNamespace', { namespace: name })
  const canRollBack = migration?.cutOver === true && migration.phase !== 'failed'
  return (
    <>
      <div className="problem" role="alert">
        <div className="spread">
          <strong>{t('This namespace could not be opened')}</strong>
          <code>{stateCode}</code>
        </div>
        <span>{serverText(stateReason ?? '', stateSaid)}</span>
        <span className="mute">
          {t(
            'Other namespaces work. The server has not changed its files or settings. Repair them, then open it again.',
          )}
        </span>
        {reopens ? (
          <div className="row">
            <Button small busy={reopen.isPending} onClick={() => reopen.mutate()}>
              {t('Open it again')}
            </Button>
            {stateCode !== undefined && LOSSES.has(stateCode) && <OpenWithLoss name={name} reason={stateReason} />}
            {canRollBack && <RollBack name={name} />}
          </div>
        ) : (
          <RoleNeeded what={t('Opening it again')} operation="reopenNamespace" />
        )}
        {migration?.cutOver === true && (
          <span>
            {canRollBack
              ? t('This is the target of a migration. The source has the records too: it can be rolled back to.')
              : t('This is the target of a migration. The source lacks changes.')}
          </span>
        )}
      </div>
      <Problem error={reopen.error} />
    </>
  )
}

/** Opens the source of a migration in place of its target, after a confirmation. */
function RollBack({ name }: { name: string }) {
  const refresh = useRefreshNamespaces()
  const [asking, setAsking] = useState(false)
  const back = useMutation({ mutationFn: () => stepMigration({ ns: name, step: 'roll-back' }), onSettled: refresh })
  return (
    <>
      <Button small look="primary" onClick={() => setAsking(true)}>
        {t('Roll back to the source…')}
      </Button>
      <Confirm
        title={t('Roll {name} back to the source', { name })}
        action={t('Roll back')}
        busy={back.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => back.mutate()}
      >
        <p>
          <Say
            text="Opens the store that <code>{name}</code> was in before the cut-over. It has every change up to the end of the server. After a loss of power, the newest writes may be missing."
            values={{ name }}
          />
        </p>
        <p>{t('The target then lacks changes. Resume the migration, or abandon it, in the tab Migrate.')}</p>
        <Problem error={back.error} />
      </Confirm>
    </>
  )
}

/** Opens a namespace despite lost data, after showing the loss and a confirmation by name. */
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
        {t('Open with what is left…')}
      </Button>
      <Confirm
        title={t('Open {name} with what is left', { name })}
        typed={name}
        action={t('Accept the loss')}
        busy={open.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => open.mutate()}
      >
        <p>{reason}</p>
        <p>
          {t(
            'Lost data stays lost, even if you restore the files later. If you may find a better copy, copy the present files first. The namespace keeps a list of its losses.',
          )}
        </p>
        <Problem error={open.error} />
      </Confirm>
    </>
  )
}
