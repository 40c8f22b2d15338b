import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { clearQueryHistory, removeQuery } from '../../api/actions'
import { queryHistoryQuery, savedQueriesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import type { RanQuery, SavedQuery } from '../../api/types'
import { count, duration } from '../../format'
import { compactRequest } from '../../records/request/request'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Empty } from '../../ui/Empty'
import { Icon } from '../../ui/Icon'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { t } from '../../language/text'
import { ActionButton } from '../../components/access/ActionButton'

interface Props {
  open: boolean
  onClose: () => void
  onOpen: (ns: string, text: string, saved?: string) => void
  onRemoved: (id: string) => void
}

type Tab = 'saved' | 'history'

/** Saved queries and the query history, to open again. */
export function QueryDrawer({ open, onClose, onOpen, onRemoved }: Props) {
  const [tab, setTab] = useState<Tab>('saved')
  const choose = (ns: string, text: string, saved?: string): void => {
    onOpen(ns, text, saved)
    onClose()
  }
  return (
    <Dialog title={t('Queries')} open={open} onClose={onClose} wide>
      <div className="stack">
        <div>
          <Segmented<Tab>
            label={t('Which queries')}
            value={tab}
            choices={[
              { value: 'saved', label: t('saved') },
              { value: 'history', label: t('history') },
            ]}
            onChange={setTab}
          />
        </div>
        {tab === 'saved' ? <Saved onChoose={choose} onRemoved={onRemoved} /> : <History onChoose={choose} />}
      </div>
    </Dialog>
  )
}

type Choose = (ns: string, text: string, saved?: string) => void

function Saved({ onChoose, onRemoved }: { onChoose: Choose; onRemoved: (id: string) => void }) {
  const queries = useQueryClient()
  const { data, error } = useQuery(savedQueriesQuery())
  const remove = useMutation({
    mutationFn: removeQuery,
    onSuccess: (_, id) => {
      onRemoved(id)
      // Invalidate only the list, because the query no longer exists.
      return queries.invalidateQueries({ queryKey: ['queries'], exact: true })
    },
  })
  if (data === undefined) return error === null ? <Skeleton lines={4} /> : <Problem error={error} />
  if (data.items.length === 0)
    return <Empty title={t('No saved queries')}>{t('A query that was saved under a name appears here.')}</Empty>
  return (
    <>
      <Problem error={remove.error} />
      <ul className="query-list">
        {data.items.map((query: SavedQuery) => (
          <li key={query.id}>
            <button type="button" className="link" onClick={() => onChoose(query.namespace, query.request, query.id)}>
              {query.name}
            </button>
            <span className="mute small">
              <NamespaceOf namespace={query.namespace} former={query.former} />
              {' · '}
              <Ago time={query.updatedAt} />
            </span>
            <ActionButton
              operation="removeQuery"
              place={{ namespace: query.namespace }}
              look="quiet"
              aria-label={t('Remove {name}', { name: query.name })}
              onClick={() => remove.mutate(query.id)}
            >
              <Icon name="trash" />
            </ActionButton>
            <code className="small">{compactRequest(query.request)}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function History({ onChoose }: { onChoose: Choose }) {
  const queries = useQueryClient()
  const { data, error } = useQuery({ ...queryHistoryQuery(), staleTime: 0 })
  const clears = useMay()('clearQueryHistory')
  const clear = useMutation({
    mutationFn: clearQueryHistory,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['query-history'] }),
  })
  if (data === undefined) return error === null ? <Skeleton lines={4} /> : <Problem error={error} />
  if (data.items.length === 0)
    return <Empty title={t('No queries yet')}>{t('Queries that you run in this console appear here.')}</Empty>
  return (
    <>
      <Problem error={clear.error} />
      <ul className="query-list">
        {data.items.map((ran: RanQuery) => (
          <li key={ran.id}>
            <button type="button" className="link mono small" onClick={() => onChoose(ran.namespace, ran.request)}>
              {compactRequest(ran.request)}
            </button>
            <span className="mute small">
              <NamespaceOf namespace={ran.namespace} former={ran.former} />
              {' · '}
              <Ago time={ran.at} />
              {' · '}
              <Cost ran={ran} />
            </span>
          </li>
        ))}
      </ul>
      {clears && (
        <div className="row end">
          <Button small look="danger" busy={clear.isPending} onClick={() => clear.mutate()}>
            {t('Clear the history')}
          </Button>
        </div>
      )}
    </>
  )
}

function Cost({ ran: { error, returned, scanned, ms, method } }: { ran: RanQuery }) {
  const parts = [
    returned !== undefined && t('{returned} returned', { returned: count(returned) }),
    scanned !== undefined && t('{scanned} scanned', { scanned: count(scanned) }),
    duration(ms / 1000),
    method !== undefined && t('by {method}', { method }),
  ].filter((part) => part !== false)
  return (
    <>
      {error !== undefined && (
        <>
          <code className="bad">{error}</code>
          {' ·'}{' '}
        </>
      )}
      {parts.join(' · ')}
    </>
  )
}
