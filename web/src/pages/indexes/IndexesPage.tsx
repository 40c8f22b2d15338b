import { ActionButton } from '../../components/access/ActionButton'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { namespacesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { NoNamespace } from '../../components/namespaces/NoNamespace'
import { isOpen } from '../../components/namespaces/namespace-states'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { plainChoices, SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { AdviceCards } from './AdviceCards'
import { CreateIndex } from './CreateIndex'
import { IndexList } from './IndexList'
import { t } from '../../language/text'

/** All indexes of all namespaces; building one shows its progress here. */
export function IndexesPage() {
  const { ns, unused = false, create = false, ...first } = useSearch({ from: '/indexes' })
  const navigate = useNavigate({ from: '/indexes' })
  const { data, error } = useQuery(namespacesQuery())
  const names = data?.items.filter(isOpen).map(({ name }) => name) ?? []
  const setCreate = (next: boolean): void =>
    void navigate({ search: { ns, unused: unused || undefined, create: next || undefined }, ...inPlace })
  const setUnused = (next: boolean): void => void navigate({ search: { ns, unused: next || undefined }, ...inPlace })
  const may = useMay()
  const mayAdvise = ns !== undefined && may('adviseIndexes', { namespace: ns })
  return (
    <Page
      title={t('Indexes')}
      controls={
        <>
          {names.length > 1 && (
            <SmallSelect
              label={t('Namespace')}
              value={ns ?? ''}
              choices={[{ value: '', label: t('all namespaces') }, ...plainChoices(names)]}
              onChange={(next) =>
                void navigate({ search: { ns: next === '' ? undefined : next, unused: unused || undefined } })
              }
            />
          )}
          {names.length > 0 && (
            <ActionButton
              operation="createIndex"
              place={{ namespace: ns }}
              look="primary"
              onClick={() => setCreate(true)}
            >
              {t('Create an index')}
            </ActionButton>
          )}
        </>
      }
    >
      <Problem error={error} />
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={5} height={22} />
        </Card>
      )}
      {data?.items.length === 0 && <NoNamespace toDo={t('load data and index it')} />}
      {names.length > 0 && <IndexList ns={ns} unused={unused} onUnused={setUnused} />}
      {ns !== undefined && names.includes(ns) && mayAdvise && <AdviceCards key={ns} ns={ns} />}
      {names.length > 0 && (
        <CreateIndex namespace={ns ?? names[0] ?? ''} first={first} open={create} onClose={() => setCreate(false)} />
      )}
    </Page>
  )
}
