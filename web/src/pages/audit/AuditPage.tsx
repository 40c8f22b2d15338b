import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { auditQuery, namespacesQuery } from '../../api/queries'
import { here } from '../../base-path'
import { spans } from '../../components/jobs/list-filter'
import { MoreRows } from '../../components/jobs/MoreRows'
import { dateTime } from '../../format'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { SmallSelect, TextField, wordChoices } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { auditColumns } from './columns'
import { askedOf, type AuditSearch, entryAt, OUTCOMES } from './search'
import { VerifyCard } from './VerifyCard'
import { t } from '../../language/text'
import { stateWords } from '../../components/state-words'

/** Who did what. Each look at it is an entry too, so it is read anew only when asked. */
export function AuditPage() {
  const search = useSearch({ from: '/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const set = (part: Partial<AuditSearch>): void => void navigate({ search: { ...search, ...part }, ...inPlace })
  const names = useQuery(namespacesQuery()).data?.items.map(({ name }) => name) ?? []
  const query = useInfiniteQuery(auditQuery(askedOf(search)))
  const { data, error, refetch, isRefetching, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const head = data?.pages[0]?.head
  return (
    <Page
      title={t('Audit')}
      controls={
        <>
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
            label={t('Outcome')}
            value={search.outcome ?? ''}
            choices={[{ value: '', label: t('all outcomes') }, ...wordChoices(OUTCOMES, stateWords)]}
            onChange={(outcome) => set({ outcome: outcome === '' ? undefined : outcome })}
          />
          <SmallSelect
            label={t('Time')}
            value={search.since ?? ''}
            choices={[
              { value: '', label: t('all times') },
              ...Object.entries(spans).map(([value, { label }]) => ({ value, label })),
            ]}
            onChange={(since) => set({ since: since === '' ? undefined : since, at: undefined })}
          />
          <Button small busy={isRefetching} onClick={() => void refetch()}>
            {t('Refresh')}
          </Button>
          <a className="btn small" href={here('/api/v1/audit/export')} download="audit.ndjson">
            {t('Export')}
          </a>
        </>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {search.at !== undefined && (
        <p className="row">
          <span>{t('Entries around {time}', { time: dateTime(search.at) })}</span>
          <Button small onClick={() => set({ at: undefined, ns: undefined })}>
            {t('Show every entry')}
          </Button>
        </p>
      )}
      <Words key={`${search.who} ${search.operation}`} search={search} onApply={set} />
      <Card title={t('Entries')} flush={entries.length > 0}>
        {data === undefined && error === null && <Skeleton lines={5} height={22} />}
        {data !== undefined && entries.length === 0 && (
          <Empty title={t('No such entries')}>
            {hasNextPage ? t('None of the newest entries matches.') : t('No entry matches these filters.')}
          </Empty>
        )}
        {entries.length > 0 && (
          <DataTable
            label={t('Audit log')}
            list="audit"
            noun={(n) => t('{n, plural, one {# entry} other {# entries}}', { n })}
            columns={auditColumns}
            rows={entries}
            keyOf={({ seq }) => String(seq)}
            long={entries.length > LONG}
            current={entryAt(entries, search.at)}
          />
        )}
        <MoreRows
          shown={entries.length}
          what={t('entries')}
          more={hasNextPage}
          busy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </Card>
      {head !== undefined && <VerifyCard head={head} />}
    </Page>
  )
}

/** Rows from which on only those in view are drawn. */
const LONG = 200

interface WordsProps {
  search: AuditSearch
  onApply: (part: Partial<AuditSearch>) => void
}

/** Filters that are typed. */
function Words({ search, onApply }: WordsProps) {
  const [who, setWho] = useState(search.who ?? '')
  const [operation, setOperation] = useState(search.operation ?? '')
  const wanted = { who: who.trim() || undefined, operation: operation.trim() || undefined }
  return (
    <Card title={t('Find')}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          onApply(wanted)
        }}
      >
        <div className="grid-2">
          <TextField label={t('Who')} value={who} onChange={setWho} placeholder="token:deploy" />
          <TextField label={t('Operation')} value={operation} onChange={setOperation} placeholder="dropNamespace" />
        </div>
        <div className="row end">
          <Button
            disabled={search.who === undefined && search.operation === undefined}
            onClick={() => onApply({ who: undefined, operation: undefined })}
          >
            {t('Clear')}
          </Button>
          <Button type="submit" look="primary">
            {t('Find')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
