import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endSession, sessionsQuery } from '../../api/access'
import { signedOut } from '../../api/session-state'
import type { Me, SessionInfo } from '../../api/types'
import { dateTime } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'
import { OwnFactor } from '../second-factor/OwnFactor'
import { browserName } from './browser-name'
import { ChangePassword } from './ChangePassword'
import { GrantWords } from './GrantList'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** The sessions of the user, or all for administrators. */
export function SessionsCard({ me, seesAll }: { me: Me | undefined; seesAll: boolean }) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(sessionsQuery())
  const [changing, setChanging] = useState(false)
  const [opensFactor, setOpensFactor] = useState(false)
  const rows = data?.items ?? []
  const end = useMutation({
    mutationFn: ({ id }: SessionInfo) => endSession(id),
    onSuccess: ({ current }) => {
      if (current) signedOut()
      else toast(t('Signed out'))
    },
    onSettled: (_answer, _error, { current }) =>
      current ? undefined : queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <Card
      title={t('Sessions')}
      aside={seesAll ? t('browsers that are signed in') : t('browsers in which you are signed in')}
      end={
        me?.hasPassword === true && (
          <>
            {me.secondFactor !== undefined && (
              <Button small onClick={() => setOpensFactor(true)}>
                {t('Second factor…')}
              </Button>
            )}
            <Button small onClick={() => setChanging(true)}>
              {t('Change password…')}
            </Button>
          </>
        )
      }
      flush={rows.length > 0}
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Problem error={end.error} />
      {data === undefined && error === null && <Skeleton lines={3} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('No sessions')}>{t('No browser is signed in.')}</Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Sessions')}
          list="sessions"
          noun={(n) => t('{n, plural, one {# session} other {# sessions}}', { n })}
          prefix="sessions"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'user',
              label: t('user'),
              sort: ({ user }) => user ?? '',
              cell: ({ user, signedInWith, current }) => (
                <>
                  {user === undefined ? (
                    <span className="mute">{t('administrator token')}</span>
                  ) : (
                    <strong>{user}</strong>
                  )}{' '}
                  {signedInWith === 'provider' && <span className="badge">{t('by the provider')}</span>}{' '}
                  {current && <span className="badge accent">{t('this one')}</span>}
                </>
              ),
            },
            {
              name: 'roles',
              label: t('roles'),
              sort: ({ grants }) => grants[0]?.role ?? '',
              cell: ({ grants }) => <GrantWords grants={grants} />,
            },
            {
              name: 'browser',
              label: t('browser'),
              sort: ({ userAgent }) => browserName(userAgent),
              cell: ({ userAgent }) => (
                <Tip text={userAgent}>
                  <span>{browserName(userAgent)}</span>
                </Tip>
              ),
            },
            {
              name: 'from',
              label: t('from'),
              sort: ({ address = '' }) => address,
              cell: ({ address = t('Unix socket') }) => <code>{address}</code>,
            },
            {
              name: 'last used',
              label: t('last used'),
              sort: ({ lastUsedAt }) => lastUsedAt,
              cell: ({ lastUsedAt }) => <Ago time={lastUsedAt} />,
            },
            {
              name: 'began',
              label: t('began'),
              low: 3,
              sort: ({ createdAt }) => createdAt,
              cell: ({ createdAt }) => <Ago time={createdAt} />,
            },
            {
              name: 'ends if unused',
              label: t('ends if unused'),
              low: 4,
              sort: ({ expiresAt }) => expiresAt,
              cell: ({ expiresAt }) => dateTime(Date.parse(expiresAt)),
            },
            {
              name: 'actions',
              label: t('actions'),
              actions: true,
              cell: (session) => (
                <Button
                  small
                  look="danger"
                  aria-label={t('Sign out {user} in {userAgent}', {
                    user: session.user ?? t('administrator token'),
                    userAgent: browserName(session.userAgent),
                  })}
                  busy={end.isPending && end.variables.id === session.id}
                  onClick={() => end.mutate(session)}
                >
                  {t('Sign out')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {opensFactor && me?.secondFactor !== undefined && (
        <OwnFactor factor={me.secondFactor} onClose={() => setOpensFactor(false)} />
      )}
      {changing && me !== undefined && <ChangePassword me={me} onClose={() => setChanging(false)} />}
    </Card>
  )
}
