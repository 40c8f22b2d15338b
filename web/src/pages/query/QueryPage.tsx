import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState, useSyncExternalStore } from 'react'
import { meQuery } from '../../api/queries'
import { NoNamespace } from '../../components/namespaces/NoNamespace'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { activeOf, add, close, reopen, show, step } from './drafts/drafts'
import { QueryPanel } from './QueryPanel'
import { QueryTabs } from './drafts/QueryTabs'
import { begin, onSync, syncState } from './drafts/sync'
import { useTabKeys } from './drafts/use-tab-keys'
import { useWorkbench } from './drafts/use-workbench'
import { TabPanel, Tabs } from '../../ui/Tabs'
import { t } from '../../language/text'

/** Finds records by content, in several queries side by side. Shows the plan before a run, and the cost after it. */
export function QueryPage() {
  const me = useQuery(meQuery()).data
  return me === undefined ? <Waiting /> : <OpenQueries key={me.id} person={me.id} />
}

/** In a browser that has none of the person's queries, those of other browsers come first. */
function OpenQueries({ person }: { person: string }) {
  const queries = useQueryClient()
  useState(() => begin(person, () => void queries.invalidateQueries({ queryKey: meQuery().queryKey })))
  const { asked } = useSyncExternalStore(onSync, syncState)
  return asked ? <Queries /> : <Waiting />
}

const Waiting = () => (
  <Page title={t('Query')}>
    <Card>
      <Skeleton lines={6} />
    </Card>
  </Page>
)

function Queries() {
  const { bench, update, kept } = useWorkbench()
  const defaultNamespace = useDefaultNamespace(undefined)
  const [running, setRunning] = useState<readonly number[]>([])
  const { id: active } = activeOf(bench)
  /** a draft is rendered when it is first shown, and then stays mounted */
  const [visited, setVisited] = useState<readonly number[]>([active])
  if (!visited.includes(active)) setVisited([...visited, active])
  const note = useCallback(
    (id: number, runs: boolean) =>
      setRunning((known) => {
        if (known.includes(id) === runs) return known
        return runs ? [...known, id] : known.filter((other) => other !== id)
      }),
    [],
  )
  useTabKeys({
    add: () => update(add),
    close: () => update((now) => close(now, activeOf(now).id)),
    reopen: () => update(reopen),
    next: () => update((now) => step(now, 1)),
    previous: () => update((now) => step(now, -1)),
  })
  if (defaultNamespace === '')
    return (
      <Page title={t('Query')}>
        <NoNamespace toDo={t('load data and query it')} />
      </Page>
    )
  return (
    <Page title={t('Query')}>
      <Tabs shown={active} onShow={(id) => update((now) => show(now, id))}>
        <QueryTabs bench={bench} running={running} kept={kept} onUpdate={update} />
        {bench.drafts
          .filter(({ id }) => visited.includes(id))
          .map((draft) => (
            <TabPanel key={draft.id} value={draft.id}>
              <QueryPanel draft={draft} defaultNamespace={defaultNamespace} onUpdate={update} onRunning={note} />
            </TabPanel>
          ))}
      </Tabs>
    </Page>
  )
}
