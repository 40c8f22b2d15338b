import { useMutation, useQueryClient } from '@tanstack/react-query'
import { beginSecondFactor, removeSecondFactor } from '../../api/access'
import type { Me } from '../../api/types'
import { dateTime } from '../../format'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { FactorSetUp } from './FactorSetUp'
import { t } from '../../language/text'

/** The second factor of the user who is signed in: set up, replaced and removed. */
export function OwnFactor({ factor, onClose }: { factor: NonNullable<Me['secondFactor']>; onClose: () => void }) {
  const queries = useQueryClient()
  const begin = useMutation({ mutationFn: beginSecondFactor })
  const remove = useMutation({
    mutationFn: removeSecondFactor,
    onSuccess: async () => {
      await Promise.all([['me'], ['users'], ['sessions']].map((queryKey) => queries.invalidateQueries({ queryKey })))
      toast(t('Removed the second factor'))
      onClose()
    },
  })
  const { since, recoveryCodesLeft = 0, needed } = factor
  if (begin.data !== undefined)
    return (
      <Dialog title={t('Set up a second factor')} open onClose={onClose}>
        <FactorSetUp begun={begin.data} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={t('Second factor')} open onClose={onClose}>
      <div className="stack">
        {since === undefined ? (
          <p>{t('With a second factor, signing in needs your password and a code of an authenticator app.')}</p>
        ) : (
          <>
            <p>{t('Set up on {time}.', { time: dateTime(Date.parse(since)) })}</p>
            <p>
              {t('{n, plural, one {# recovery code is left.} other {# recovery codes are left.}}', {
                n: recoveryCodesLeft,
              })}{' '}
              {t('Set it up again to get new ones.')}
            </p>
          </>
        )}
        {needed && <p className="mute">{t('This server demands it of you.')}</p>}
        <p className="mute">{t('You are signed out in all other browsers.')}</p>
        <Problem error={begin.error ?? remove.error} />
        <div className="row end">
          {since !== undefined && (
            <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
              {t('Remove second factor')}
            </Button>
          )}
          <Button look="primary" busy={begin.isPending} onClick={() => begin.mutate()}>
            {since === undefined ? t('Set up') : t('Set up again')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
