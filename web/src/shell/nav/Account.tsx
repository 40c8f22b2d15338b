import { useMutation, useQuery } from '@tanstack/react-query'
import { logout } from '../../api/access'
import { meQuery } from '../../api/queries'
import { signedOut } from '../../api/session-state'
import { grantWords, topRole } from '../../pages/access/roles'
import { Button } from '../../ui/Button'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'
import { roleNames } from '../../components/api-words'
import { problemText } from '../../api/problem'
import { Tip } from '../../ui/Tip'

/** Who is signed in, and the way out. */
export function Account() {
  const me = useQuery(meQuery()).data
  const signOut = useMutation({
    mutationFn: async () => {
      // What was typed goes to the server, and leaves this browser.
      const { settle, forget } = await import('../../pages/query/drafts/sync')
      const person = me?.id ?? ''
      await settle(person)
      const answer = await logout()
      forget(person)
      return answer
    },
    // A person whom a provider has signed in signs out there, too.
    onSuccess: (answer) => (answer?.next === undefined ? signedOut({ byChoice: true }) : location.assign(answer.next)),
    onError: (error) => toast(problemText(error), 'bad'),
  })
  if (me?.method !== 'session') return null
  return (
    <div className="account">
      <Tip text={t('Signed in as {user}: {value}', { user: me.user, value: me.grants.map(grantWords).join('; ') })}>
        <span className="mute">
          {me.user}
          {' · '}
          {roleNames(topRole(me.grants) ?? '')}
        </span>
      </Tip>
      <Button small look="quiet" busy={signOut.isPending} onClick={() => signOut.mutate()}>
        {t('Sign out')}
      </Button>
    </div>
  )
}
