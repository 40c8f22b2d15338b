import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { Page } from '../../shell/Page'
import { NewToken } from './NewToken'
import { NewUser } from './NewUser'
import { SessionsCard } from './SessionsCard'
import { TokensCard } from './TokensCard'
import { UsersCard } from './UsersCard'
import { t } from '../../language/text'
import { ActionButton } from '../../components/access/ActionButton'

/** Who may do what: users, the API tokens of programs, and sessions. Everybody sees their own sessions. */
export function AccessPage() {
  const me = useQuery(meQuery()).data
  const [making, setMaking] = useState<'user' | 'token'>()
  const may = useMay()
  const close = (): void => setMaking(undefined)
  return (
    <Page
      title={t('Access')}
      controls={
        <>
          <ActionButton operation="createUser" onClick={() => setMaking('user')}>
            {t('New user')}
          </ActionButton>
          <ActionButton operation="createToken" onClick={() => setMaking('token')}>
            {t('New token')}
          </ActionButton>
        </>
      }
    >
      {may('listUsers') && <UsersCard />}
      {may('listTokens') && <TokensCard />}
      <SessionsCard me={me} seesAll={may('listUsers')} />
      {making === 'user' && <NewUser onClose={close} />}
      {making === 'token' && <NewToken onClose={close} />}
    </Page>
  )
}
