import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { biggestSetQuery } from '../../api/sets'
import { useMay } from '../../api/use-may'
import { NoNamespace } from '../../components/namespaces/NoNamespace'
import type { Asked } from '../../records/found'
import type { RecordKey } from '../../records/key'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Icon } from '../../ui/Icon'
import { Problem } from '../../ui/Problem'
import { chipsOf, chipsText, withChip } from './filter/chips'
import { FindField } from './find/FindField'
import { RecordEditor } from './RecordEditor'
import { RecordPages } from './RecordPages'
import { askedIn, askedSearch, type RecordsSearch } from './search'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

export { beginList } from './list/begin-list'

/** Shows records in pages or by key; creates, edits and deletes them. */
export function RecordsPage() {
  const search = useSearch({ from: '/records' })
  const navigate = useNavigate({ from: '/records' })
  const ns = useDefaultNamespace(search.ns)
  const { data, error, refetch } = useQuery(biggestSetQuery(ns ?? ''))
  const writes = useMay()('putRecord', { namespace: ns, set: search.set })
  const sets = data?.items
  const set = search.set ?? sets?.[0]?.name
  // The list stays where it is while one of its records is opened and closed.
  const { where, order, from, fromtype, segment } = search
  const asked = useMemo(
    () => askedIn({ where, order, from, fromtype, segment }),
    [where, order, from, fromtype, segment],
  )
  const go = useCallback(
    (part: RecordsSearch): void =>
      void navigate({ search: { ns, set, ...askedSearch(asked), ...part }, resetScroll: false }),
    [navigate, ns, set, asked],
  )
  const ask = useCallback((next: Asked) => go(askedSearch(next)), [go])
  const create = useCallback(() => go({ create: true }), [go])
  const open = useCallback((key: RecordKey) => go({ key: key.text, keytype: key.type }), [go])
  // A filter and an order are those of one set.
  const place = (part: RecordsSearch): void =>
    go({ where: undefined, order: undefined, from: undefined, fromtype: undefined, segment: undefined, ...part })
  const close = (): void => go({})
  if (ns === '')
    return (
      <Page title={t('Records')}>
        <NoNamespace toDo={t('write records to it')} />
      </Page>
    )
  return (
    <Page title={t('Records')}>
      <Card>
        <div className="record-bar">
          <NamespacePicker value={ns ?? ''} onChange={(next) => place({ ns: next, set: undefined })} />
          <SetPicker ns={ns ?? ''} value={set} onChange={(next) => place({ set: next })} />
          <FindField
            key={`${ns}/${set}`}
            ns={ns ?? ''}
            set={set}
            onOpen={open}
            onJump={(key) => go(askedSearch({ where: '', by: undefined, desc: false, from: key }))}
            onSearch={(chip) =>
              go(askedSearch({ ...asked, where: chipsText(withChip(chipsOf(asked.where), undefined, chip)) }))
            }
          />
          {writes && (
            <Button look="primary" onClick={create}>
              <Say text="{icon}New record" values={{ icon: <Icon name="plus" /> }} />
            </Button>
          )}
        </div>
      </Card>
      <Problem error={error} onRetry={() => void refetch()} />
      {ns !== undefined && error === null && (
        <RecordPages
          key={`${ns}/${set}`}
          ns={ns}
          set={set}
          total={sets?.find(({ name }) => name === set)?.records}
          loaded={sets !== undefined}
          asked={asked}
          onAsked={ask}
          onOpen={open}
          onCreate={create}
        />
      )}
      {ns !== undefined && (
        <RecordEditor
          ns={ns}
          set={set}
          target={search.key === undefined ? undefined : { text: search.key, type: search.keytype ?? 'string' }}
          create={search.create === true}
          onClose={close}
          onCreated={(key, inSet) => (inSet === set ? go : place)({ set: inSet, key: key.text, keytype: key.type })}
        />
      )}
    </Page>
  )
}
