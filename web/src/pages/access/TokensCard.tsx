import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeToken } from '../../api/actions'
import { tokensQuery } from '../../api/queries'
import type { ApiToken } from '../../api/types'
import { dateTime } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'
import { EditToken } from './EditToken'
import { GrantWords } from './GrantList'
import { limitWords } from './limits'
import { t } from '../../language/text'

/** The API tokens, with what each may do and when it was used. */
export function TokensCard() {
  const { data, dataUpdatedAt, error, refetch } = useQuery(tokensQuery())
  const [changing, setChanging] = useState<ApiToken>()
  const [revoking, setRevoking] = useState<ApiToken>()
  const rows = data?.items ?? []
  return (
    <Card title={t('API tokens')} aside={t('for programs; people sign in with a user')} flush={rows.length > 0}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('No API tokens')}>{t('Make one for each program, with the role that it needs.')}</Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('API tokens')}
          list="tokens"
          noun={(n) => t('{n, plural, one {# token} other {# tokens}}', { n })}
          prefix="tokens"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { name: 'name', label: t('name'), sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
            {
              name: 'roles',
              label: t('roles'),
              sort: ({ grants }) => grants[0]?.role ?? '',
              cell: ({ grants }) => <GrantWords grants={grants} />,
            },
            { name: 'limits', label: t('limits'), cell: ({ limits }) => limitWords(limits) },
            { name: 'begins with', label: t('begins with'), low: 5, cell: ({ prefix }) => <code>{prefix}…</code> },
            {
              name: 'last used',
              label: t('last used'),
              sort: ({ lastUsedAt }) => lastUsedAt ?? '',
              cell: ({ lastUsedAt }) => <Ago time={lastUsedAt} />,
            },
            {
              name: 'expires',
              label: t('expires'),
              sort: ({ expiresAt }) => expiresAt ?? '9',
              cell: (token) => <Expiry token={token} nowMs={dataUpdatedAt} />,
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
              cell: (token) => (
                <div className="row end">
                  <Button
                    small
                    aria-label={t('Limits of {name}', { name: token.name })}
                    onClick={() => setChanging(token)}
                  >
                    {t('Limits…')}
                  </Button>
                  <Button
                    small
                    look="danger"
                    aria-label={t('Revoke {name}', { name: token.name })}
                    onClick={() => setRevoking(token)}
                  >
                    {t('Revoke…')}
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {changing !== undefined && <EditToken token={changing} onClose={() => setChanging(undefined)} />}
      {revoking !== undefined && <Revoke token={revoking} onClose={() => setRevoking(undefined)} />}
    </Card>
  )
}

function Expiry({ token: { expiresAt }, nowMs }: { token: ApiToken; nowMs: number }) {
  if (expiresAt === undefined) return <span className="mute">{t('never')}</span>
  const at = Date.parse(expiresAt)
  return at <= nowMs ? <span className="badge warn">{t('expired')}</span> : dateTime(at)
}

function Revoke({ token: { id, name }, onClose }: { token: ApiToken; onClose: () => void }) {
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => revokeToken(id),
    onSuccess: () => {
      toast(t('Revoked {name}', { name }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  return (
    <Confirm
      title={t('Revoke {name}', { name })}
      action={t('Revoke token')}
      busy={revoke.isPending}
      open
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      <p>{t('Programs that send this token are refused from now on. It cannot be taken back.')}</p>
      <Problem error={revoke.error} />
    </Confirm>
  )
}
