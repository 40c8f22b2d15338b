import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { login } from '../../api/access'
import { meQuery } from '../../api/queries'
import { isCodeWanted, lacksFactor } from '../../api/second-factor'
import { here } from '../../base-path'
import { getKept, putKept } from '../../kept'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { CodeField } from '../second-factor/CodeField'
import { DemandedFactor } from '../second-factor/DemandedFactor'
import { wordsOf } from './failures'
import { ProviderLink } from './ProviderLink'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Id of the person whose session has ended at the address to come back to. */
    person?: string | undefined
  }
}

const KEY = 'tessera.sign-in'
const WAYS = [
  { value: 'user', label: t('User and password') },
  { value: 'token', label: t('Administrator token') },
] as const
type Way = (typeof WAYS)[number]['value']

/** Signs in a user, or the administrator token. The link that the gateway prints signs in with one click. */
export function LoginPage() {
  const { next = '/', failed } = useSearch({ from: '/login' })
  const person = useLocation({ select: ({ state }) => state.person })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [way, setWay] = useState<Way>(
    failed === 'login_code_invalid' || getKept('localStorage', KEY) === 'token' ? 'token' : 'user',
  )
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [token, setToken] = useState('')
  /** Undefined: no code was asked for. */
  const [code, setCode] = useState<string>()
  const enter = async (): Promise<void> => {
    // The rest of the address may have what somebody else has typed.
    const isOther = person !== undefined && (await queries.fetchQuery(meQuery())).id !== person
    const goal = isOther ? (next.split('?')[0] ?? '/') : next
    // The documentation of the API is a page of the server, not of the console.
    void navigate({ href: here(goal), reloadDocument: /^\/docs\b/.test(goal) })
  }
  const signIn = useMutation({
    mutationFn: () =>
      login(
        way === 'user' ? { user: user.trim(), password, ...(code !== undefined && { code }) } : { token: token.trim() },
      ),
    onSuccess: async (answer) => {
      putKept('localStorage', KEY, way)
      queries.clear()
      if (!('user' in answer && lacksFactor(answer))) await enter()
    },
    onError: (error) => {
      if (isCodeWanted(error)) setCode('')
    },
  })
  if (signIn.data !== undefined && 'user' in signIn.data && lacksFactor(signIn.data))
    return (
      <main className="login" id="content">
        <Card>
          <DemandedFactor onDone={() => void enter()} />
        </Card>
      </main>
    )
  const complete = way === 'user' ? user.trim() !== '' && password !== '' && code?.trim() !== '' : token.trim() !== ''
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
          <h1>{t('Sign in to Tessera')}</h1>
          <Segmented
            label={t('Sign in with')}
            value={way}
            choices={WAYS}
            onChange={(chosen) => {
              setWay(chosen)
              setCode(undefined)
              signIn.reset()
            }}
          />
          {way === 'user' ? (
            <>
              <TextField
                label={t('User')}
                value={user}
                onChange={setUser}
                autoComplete="username"
                autoCapitalize="none"
                autoFocus
                required
              />
              <TextField
                label={t('Password')}
                type="password"
                value={password}
                onChange={setPassword}
                autoComplete="current-password"
                required
              />
              {code !== undefined && <CodeField value={code} onChange={setCode} recovery autoFocus />}
            </>
          ) : (
            <>
              <p className="mute">
                <Say text="Open the link that <code>npm start</code> printed. It works once. Or paste the administrator token from <code>data/admin.token</code>." />
              </p>
              <TextField label={t('Token')} type="password" value={token} onChange={setToken} mono autoFocus required />
            </>
          )}
          {failed !== undefined && signIn.isIdle && (
            <div className="problem" role="alert">
              <strong>{wordsOf(failed).title}</strong>
              <span>{wordsOf(failed).advice}</span>
              <code>{failed}</code>
            </div>
          )}
          {!isCodeWanted(signIn.error) && <Problem error={signIn.error} />}
          <Button type="submit" look="primary" disabled={!complete} busy={signIn.isPending}>
            {t('Sign in')}
          </Button>
          <ProviderLink next={next} />
        </form>
      </Card>
    </main>
  )
}
