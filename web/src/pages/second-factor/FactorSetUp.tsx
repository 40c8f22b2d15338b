import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { confirmSecondFactor } from '../../api/access'
import type { SecondFactorSetUp } from '../../api/types'
import { Button } from '../../ui/Button'
import { CopyButton } from '../../ui/Copy'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { CodeField } from './CodeField'
import { RecoveryCodes } from './RecoveryCodes'
import { t } from '../../language/text'

// Few people ever see it.
const QrCode = lazy(() => import('./QrCode').then((module) => ({ default: module.QrCode })))

/** Shows what an app needs, asks for a code of it, and then shows the recovery codes. */
export function FactorSetUp({ begun, onDone }: { begun: SecondFactorSetUp; onDone: () => void }) {
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => confirmSecondFactor(code),
    onSuccess: () =>
      Promise.all([['me'], ['users'], ['sessions']].map((key) => queries.invalidateQueries({ queryKey: key }))),
  })
  if (confirm.data !== undefined) return <RecoveryCodes codes={confirm.data.recoveryCodes} onDone={onDone} />
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() !== '') confirm.mutate()
      }}
    >
      <p>{t('Scan this with an authenticator app, or type the secret into it.')}</p>
      <Suspense fallback={<Skeleton lines={1} height={200} />}>
        <QrCode text={begun.uri} />
      </Suspense>
      <p className="row">
        <code className="secret">{begun.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={begun.secret} />
      </p>
      <CodeField value={code} onChange={setCode} autoFocus />
      <Problem error={confirm.error} />
      <div className="row end">
        <Button type="submit" look="primary" busy={confirm.isPending} disabled={code.trim() === ''}>
          {t('Confirm')}
        </Button>
      </div>
    </form>
  )
}
