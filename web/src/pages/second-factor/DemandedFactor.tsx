import { useMutation } from '@tanstack/react-query'
import { beginSecondFactor } from '../../api/access'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { FactorSetUp } from './FactorSetUp'
import { t } from '../../language/text'

/** Sets up what the server demands, before anything else is shown. */
export function DemandedFactor({ onDone }: { onDone: () => void }) {
  const begin = useMutation({ mutationFn: beginSecondFactor })
  return (
    <div className="stack">
      <h1>{t('Set up a second factor')}</h1>
      {begin.data === undefined ? (
        <>
          <p>
            {t(
              'This server wants more than a password of you: codes of an authenticator app on your phone or computer.',
            )}
          </p>
          <Problem error={begin.error} />
          <Button look="primary" busy={begin.isPending} onClick={() => begin.mutate()}>
            {t('Begin')}
          </Button>
        </>
      ) : (
        <FactorSetUp begun={begin.data} onDone={onDone} />
      )}
    </div>
  )
}
