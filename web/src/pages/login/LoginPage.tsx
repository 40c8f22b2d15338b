import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { login } from '../../api/actions'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'

/** Signs in with the administrator token. The link that the gateway prints does the same in one click. */
export function LoginPage() {
  const { next = '/', failed } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [token, setToken] = useState('')
  const signIn = useMutation({
    mutationFn: () => login(token.trim()),
    onSuccess: () => {
      queries.clear()
      // The documentation of the API is a page of the server, not of the console.
      void navigate({ href: next, reloadDocument: /^\/docs\b/.test(next) })
    },
  })
  return (
    <main className="login" id="content">
      <Card>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            signIn.mutate()
          }}
        >
          <h1>Sign in to Tessera</h1>
          <p className="mute">
            Open the link that <code>npm start</code> printed. It works once. Or paste the administrator token from{' '}
            <code>data/admin.token</code>.
          </p>
          <TextField label="Token" type="password" value={token} onChange={setToken} mono autoFocus required />
          {failed !== undefined && signIn.isIdle && (
            <div className="problem" role="alert">
              <strong>That link did not sign you in</strong>
              <span>It was used before, or has expired. Paste the token.</span>
              <code>{failed}</code>
            </div>
          )}
          <Problem error={signIn.error} />
          <Button type="submit" look="primary" disabled={token.trim() === ''} busy={signIn.isPending}>
            Sign in
          </Button>
        </form>
      </Card>
    </main>
  )
}
