import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeUser, removeUserSecondFactor, usersQuery } from '../../api/access'
import type { User } from '../../api/types'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'
import { EditUser } from './EditUser'
import { GrantWords } from './GrantList'
import { limitWords } from './limits'
import { t } from '../../language/text'

/** The users, with their roles and when they last signed in. */
export function UsersCard() {
  const { data, error, refetch } = useQuery(usersQuery())
  const [changing, setChanging] = useState<User>()
  const [removing, setRemoving] = useState<User>()
  const [losing, setLosing] = useState<User>()
  const rows = data?.items ?? []
  return (
    <Card title={t('Users')} aside={t('people who sign in with a password')} flush={rows.length > 0}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('No users')}>{t('Make one for each person, with the role that they need.')}</Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Users')}
          list="users"
          noun={(n) => t('{n, plural, one {# user} other {# users}}', { n })}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            {
              name: 'name',
              label: t('name'),
              sort: ({ name }) => name,
              cell: ({ name, disabled, secondFactorSince }) => (
                <>
                  <strong>{name}</strong>{' '}
                  {secondFactorSince !== undefined && <span className="badge">{t('second factor')}</span>}{' '}
                  {disabled && <span className="badge warn">{t('disabled')}</span>}
                </>
              ),
            },
            {
              name: 'roles',
              label: t('roles'),
              sort: ({ grants }) => grants[0]?.role ?? '',
              cell: ({ grants }) => <GrantWords grants={grants} />,
            },
            { name: 'limits', label: t('limits'), cell: ({ limits }) => limitWords(limits) },
            {
              name: 'last sign-in',
              label: t('last sign-in'),
              sort: ({ lastSignInAt }) => lastSignInAt ?? '',
              cell: ({ lastSignInAt }) => <Ago time={lastSignInAt} />,
            },
            {
              name: 'created',
              label: t('created'),
              low: 3,
              sort: ({ createdAt }) => createdAt,
              cell: ({ createdAt }) => <Ago time={createdAt} />,
            },
            { name: 'by', label: t('by'), low: 4, sort: ({ who }) => who, cell: ({ who }) => who },
            {
              name: 'actions',
              label: t('actions'),
              actions: true,
              cell: (user) => (
                <div className="row end">
                  <Button small aria-label={t('Change {name}', { name: user.name })} onClick={() => setChanging(user)}>
                    {t('Change…')}
                  </Button>
                  {user.secondFactorSince !== undefined && (
                    <Button
                      small
                      aria-label={t('Remove the second factor of {name}', { name: user.name })}
                      onClick={() => setLosing(user)}
                    >
                      {t('Remove factor…')}
                    </Button>
                  )}
                  <Button
                    small
                    look="danger"
                    aria-label={t('Remove {name}', { name: user.name })}
                    onClick={() => setRemoving(user)}
                  >
                    {t('Remove…')}
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {changing !== undefined && <EditUser user={changing} onClose={() => setChanging(undefined)} />}
      {losing !== undefined && <RemoveFactor user={losing} onClose={() => setLosing(undefined)} />}
      {removing !== undefined && <Remove user={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  )
}

function Remove({ user: { name }, onClose }: { user: User; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeUser(name),
    onSuccess: () => {
      toast(t('Removed {name}', { name }))
      onClose()
    },
    onSettled: () => Promise.all([['users'], ['sessions']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
  return (
    <Confirm
      title={t('Remove {name}', { name })}
      action={t('Remove user')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{t('The user is signed out everywhere, now. API tokens that the user has made stay.')}</p>
      <Problem error={remove.error} />
    </Confirm>
  )
}

function RemoveFactor({ user: { name }, onClose }: { user: User; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeUserSecondFactor(name),
    onSuccess: () => {
      toast(t('Removed the second factor of {name}', { name }))
      onClose()
    },
    onSettled: () =>
      Promise.all([['users'], ['sessions'], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
  return (
    <Confirm
      title={t('Remove the second factor of {name}', { name })}
      action={t('Remove second factor')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{t('The password alone signs in from then on. The user is signed out everywhere, now.')}</p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
