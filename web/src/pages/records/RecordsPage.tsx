import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { setsQuery } from '../../api/sets'
import { useMay } from '../../api/use-may'
import { NoNamespace } from '../../components/namespaces/NoNamespace'
import { NamespacePicker, SetPicker } from '../../components/fields/pickers'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Icon } from '../../ui/Icon'
import { Problem } from '../../ui/Problem'
import { OpenByKey } from './OpenByKey'
import { RecordEditor } from './RecordEditor'
import { RecordPages } from './RecordPages'
import type { RecordsSearch } from './search'

/** Shows records in pages or by key; creates, edits and deletes them. */
export function RecordsPage() {
  const search = useSearch({ from: '/records' })
  const navigate = useNavigate({ from: '/records' })
  const ns = useDefaultNamespace(search.ns)
  const { data, error, refetch } = useQuery(setsQuery(ns ?? '', { sort: 'records', order: 'desc' }, 1))
  const writes = useMay()('putRecord', { namespace: ns, set: search.set })
  const sets = data?.items
  const set = search.set ?? sets?.[0]?.name
  // The list stays where it is while one of its records is opened and closed.
  const go = (part: RecordsSearch): void => void navigate({ search: { ns, set, ...part }, resetScroll: false })
  const close = (): void => go({})
  if (ns === '')
    return (
      <Page title="Records">
        <NoNamespace toDo="write records to it" />
      </Page>
    )
  return (
    <Page title="Records">
      <Card>
        <div className="record-bar">
          <NamespacePicker value={ns ?? ''} onChange={(next) => go({ ns: next, set: undefined })} />
          <SetPicker ns={ns ?? ''} value={set} onChange={(next) => go({ set: next })} />
          <OpenByKey disabled={set === undefined} onOpen={(key) => go({ key: key.text, keytype: key.type })} />
          {writes && (
            <Button look="primary" onClick={() => go({ create: true })}>
              <Icon name="plus" />
              New record
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
          onOpen={(key) => go({ key: key.text, keytype: key.type })}
          onCreate={() => go({ create: true })}
        />
      )}
      {ns !== undefined && (
        <RecordEditor
          ns={ns}
          set={set}
          target={search.key === undefined ? undefined : { text: search.key, type: search.keytype ?? 'string' }}
          create={search.create === true}
          onClose={close}
          onCreated={(key, inSet) => go({ set: inSet, key: key.text, keytype: key.type })}
        />
      )}
    </Page>
  )
}
