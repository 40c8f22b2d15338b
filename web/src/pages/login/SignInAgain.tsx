import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { login } from '../../api/access'
import { meQuery } from '../../api/queries'
import { endSignIn } from '../../api/sign-in-again'
import { here, withoutBase } from '../../base-path'
import { t } from '../../language/text'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { CodeField } from '../second-factor/CodeField'

/** Asks who the person is before something that a session left open must not do. Then it is done. */
export function SignInAgain() {
  const me = useQuery(meQuery()).data
  const queries = useQueryClient()
  const [secret, setSecret] = useState('')
  const [code, setCode] = useState('')
  const isUser = me?.signedInWith === 'password'
  const needsCode = me?.secondFactor?.since !== undefined
  const isComplete = secret !== '' && (!needsCode || code.trim() !== '')
  const signIn = useMutation({
    mutationFn: () =>
      login(isUser ? { user: me.user, password: secret, ...(needsCode && { code }) } : { token: secret.trim() }),
    onSuccess: () => {
      endSignIn(true)
      void queries.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const cancel = (): void => endSignIn(false)
  return (
    <Dialog title={t('Sign in again')} open onClose={cancel} asksWho>
      {me?.signedInWith === 'provider' ? (
        <Provider onClose={cancel} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (isComplete) signIn.mutate()
          }}
        >
          <p>{t('This needs a fresh sign-in, in case somebody else is at your browser.')}</p>
          {isUser ? (
            <TextField
              label={t('Password of {user}', { user: me.user })}
              type="password"
              autoComplete="current-password"
              value={secret}
              onChange={setSecret}
              autoFocus
              required
            />
          ) : (
            <TextField
              label={t('Administrator token')}
              type="password"
              value={secret}
              onChange={setSecret}
              mono
              autoFocus
              required
            />
          )}
          {needsCode && <CodeField value={code} onChange={setCode} recovery />}
          <Problem error={signIn.error} />
          <div className="row end">
            <Button onClick={cancel}>{t('Cancel')}</Button>
            <Button type="submit" look="primary" busy={signIn.isPending} disabled={!isComplete}>
              {t('Sign in')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

/** The provider asks, and leads back to this page. */
function Provider({ onClose }: { onClose: () => void }) {
  const next = withoutBase(location.pathname) + location.search
  return (
    <div className="stack">
      <p>{t('This needs a fresh sign-in at your provider. You come back to this page; then do it again.')}</p>
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <a
          className="btn primary"
          href={here(`/login/oidc?${new URLSearchParams({ again: 'true', next }).toString()}`)}
        >
          {t('Go to the provider')}
        </a>
      </div>
    </div>
  )
}
