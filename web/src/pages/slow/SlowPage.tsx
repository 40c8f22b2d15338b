import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { namespacesQuery, slowQuery, slowSettingsQuery } from '../../api/queries'
import { clock, dateTime } from '../../format'
import { OPERATIONS, operationsOf } from '../../live/filter'
import { latencySpan } from '../../live/latency/words'
import { Page } from '../../shell/Page'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { SmallSelect, wordChoices } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { Skeleton } from '../../ui/Skeleton'
import { groupColumns, operationColumns } from './columns'
import { NamespaceThresholds } from './NamespaceThresholds'
import type { SlowSearch } from './search'
import { SlowSettingsCard } from './SlowSettingsCard'
import { splitLegend } from './split'
import { t } from '../../language/text'
import { operationWords } from '../../components/api-words'
import { Tip } from '../../ui/Tip'

/** Operations that took long, with where their time went. */
export function SlowPage() {
  const search = useSearch({ from: '/slow' })
  const navigate = useNavigate({ from: '/slow' })
  const set = (part: Partial<SlowSearch>): void => void navigate({ search: { ...search, ...part }, replace: true })
  const names = useQuery(namespacesQuery()).data?.items.map(({ name }) => name) ?? []
  const { data, error, refetch } = useQuery({
    ...slowQuery({ ...search, ops: operationsOf(search.op) }),
    refetchInterval: 2000,
  })
  const settings = useQuery({ ...slowSettingsQuery(), refetchInterval: 2000 })
  const grouped = search.group === 'shape'
  const shown = grouped ? (data?.groups?.length ?? 0) : (data?.items.length ?? 0)
  return (
    <Page
      title={t('Slow operations')}
      controls={
        <>
          {(search.from !== undefined || search.to !== undefined) && (
            <Tip text={t('Show all times')}>
              <Button small onClick={() => set({ from: undefined, to: undefined })}>
                {spanText(search)}
                {' ×'}
              </Button>
            </Tip>
          )}
          {(search.minEngineMs !== undefined || search.belowEngineMs !== undefined) && (
            <Tip text={t('Show all durations')}>
              <Button small onClick={() => set({ minEngineMs: undefined, belowEngineMs: undefined })}>
                {t('engine {minEngineMs} ×', {
                  minEngineMs: latencySpan(
                    search.minEngineMs && search.minEngineMs * 1e6,
                    search.belowEngineMs && search.belowEngineMs * 1e6,
                  ),
                })}
              </Button>
            </Tip>
          )}
          <SmallSelect
            label={t('Namespace')}
            value={search.ns ?? ''}
            choices={[
              { value: '', label: t('all namespaces') },
              ...[...new Set([...names, ...(search.ns === undefined ? [] : [search.ns])])].map((name) => ({
                value: name,
                label: name,
              })),
            ]}
            onChange={(ns) => set({ ns: ns === '' ? undefined : ns })}
          />
          <SmallSelect
            label={t('Operation')}
            value={search.op ?? ''}
            choices={[{ value: '', label: t('all operations') }, ...wordChoices(OPERATIONS, operationWords)]}
            onChange={(op) => set({ op: OPERATIONS.find((known) => known === op) })}
          />
          <Segmented
            label={t('Order')}
            value={search.sort}
            choices={[
              { value: 'newest', label: t('Newest') },
              { value: 'slowest', label: t('Slowest') },
            ]}
            onChange={(sort) => set({ sort })}
          />
          <Segmented
            label={t('Show')}
            value={search.group}
            choices={[
              { value: 'none', label: t('Operations') },
              { value: 'shape', label: t('Groups') },
            ]}
            onChange={(group) => set({ group })}
          />
        </>
      }
    >
      <Problem error={error ?? settings.error} {...(error !== null && { onRetry: () => void refetch() })} />
      <Card
        title={grouped ? t('By filter shape') : t('Operations')}
        aside={data?.truncated === true ? t('the first 100') : undefined}
        end={<Legend />}
        flush={shown > 0}
      >
        {data === undefined && error === null && <Skeleton lines={5} height={22} />}
        {data !== undefined && shown === 0 && (
          <Empty title={t('Nothing was slow')}>
            {t('No operation took as long as the threshold. A lower threshold shows more of them.')}
          </Empty>
        )}
        {data !== undefined && shown > 0 && !grouped && (
          <DataTable
            label={t('Slow operations')}
            list="slow"
            noun={(n) => t('{n, plural, one {# operation} other {# operations}}', { n })}
            columns={operationColumns}
            rows={data.items}
            keyOf={({ id }) => String(id)}
          />
        )}
        {data?.groups !== undefined && shown > 0 && grouped && (
          <DataTable
            label={t('Slow operations by shape')}
            list="slow-groups"
            noun={(n) => t('{n, plural, one {# group} other {# groups}}', { n })}
            prefix="groups"
            columns={groupColumns}
            rows={data.groups}
            keyOf={({ op, namespace, set: name, filterShape }) => JSON.stringify([op, namespace, name, filterShape])}
          />
        )}
      </Card>
      {settings.data !== undefined && (
        <>
          <SlowSettingsCard settings={settings.data} />
          <NamespaceThresholds settings={settings.data} />
        </>
      )}
    </Page>
  )
}

/** Which operations are shown, by when they ended. */
function spanText({ from, to }: SlowSearch): string {
  if (from === undefined) return t('before {to}', { to: dateTime(to ?? 0) })
  return to === undefined
    ? t('from {from}', { from: dateTime(from) })
    : t('{from} – {to}', { from: dateTime(from), to: clock(to) })
}

/** What the colours of the bars are. */
function Legend() {
  return (
    <span className="row">
      {splitLegend.map(({ label, colour }) => (
        <span key={label} className="row mute" style={{ gap: 4 }}>
          <i aria-hidden="true" style={{ background: colour, width: 10, height: 10, borderRadius: 2 }} />
          {label}
        </span>
      ))}
    </span>
  )
}
