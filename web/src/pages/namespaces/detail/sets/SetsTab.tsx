import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type SetSearch, setPagesQuery, setsQuery } from '../../../../api/sets'
import type { RecordSet } from '../../../../api/types'
import { useMay } from '../../../../api/use-may'
import { ChartCard } from '../../../../charts/card/ChartCard'
import { useSettled } from '../../../../components/fields/use-settled'
import { can } from '../../../../components/namespaces/can'
import { count } from '../../../../format'
import type { ColumnDef } from '../../../../table/column'
import { DataTable } from '../../../../table/DataTable'
import { Button } from '../../../../ui/Button'
import { Card } from '../../../../ui/Card'
import { Empty } from '../../../../ui/Empty'
import { SmallSelect } from '../../../../ui/inputs'
import { Problem } from '../../../../ui/Problem'
import { Skeleton } from '../../../../ui/Skeleton'
import { CreateSet } from './CreateSet'
import { HistogramCards } from './HistogramCards'
import { setColumns } from './set-columns'
import { MOST_BARS, setSizes } from './set-sizes'
import { SetLimitsDialog } from './SetLimitsDialog'
import { TruncateSet } from './TruncateSet'
import { TruncationsCard } from './TruncationsCard'
import { useNamespace } from '../use-namespace'
import { t } from '../../../../language/text'
import { ActionButton } from '../../../../components/access/ActionButton'

type SetOrder = 'name' | 'records' | 'bytes'

const orders: Record<SetOrder, { label: string; search: SetSearch }> = {
  name: { label: t('by name'), search: {} },
  records: { label: t('most records first'), search: { sort: 'records', order: 'desc' } },
  bytes: { label: t('largest first'), search: { sort: 'bytes', order: 'desc' } },
}
const orderChoices = (['name', 'records', 'bytes'] as const).map((value) => ({ value, label: orders[value].label }))

/** Sets from which on there is a search. */
const FEW = 10
/** Rows from which on only those in view are drawn. */
const LONG = 200
/** How long a typed text stands still before the server is asked. */
const SETTLED_MS = 150

/** The sets of a namespace with size, set index and limits; each can be truncated. */
export function SetsTab() {
  const namespace = useNamespace()
  const { name: ns } = namespace
  const estimated = namespace.capabilities.counts === 'estimated'
  const [{ q, order }, setSearch] = useState({ q: '', order: 'name' as SetOrder })
  const asked = useSettled(q.trim(), SETTLED_MS)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...setPagesQuery(ns, { ...orders[order].search, ...(asked !== '' && { q: asked }) }),
    // Pages behind the first stay as they are.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 2000),
  })
  const sets = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const total = data?.pages[0]?.total
  const largest = useQuery({ ...setsQuery(ns, orders.bytes.search, MOST_BARS), refetchInterval: 5000 }).data
  const sizes = useMemo(() => largest && setSizes(largest.items, largest.total), [largest])
  const searches = asked !== '' || order !== 'name' || hasNextPage || sets.length > FEW
  const all = !hasNextPage && order === 'name'
  const may = useMay()
  const [creating, setCreating] = useState(false)
  const [limiting, setLimiting] = useState<RecordSet>()
  const [truncating, setTruncating] = useState<string>()
  const columns: ColumnDef<RecordSet>[] = [
    ...setColumns(namespace, all),
    {
      name: 'actions',
      label: t('actions'),
      actions: true,
      cell: (row) => (
        <span className="row end nowrap-row">
          <Link to="/namespaces/$ns/schema" params={{ ns }} search={{ set: row.name }} className="btn small">
            {t('Schema')}
          </Link>
          <Link to="/scans" search={{ ns, set: row.name }} className="btn small">
            {t('Scan')}
          </Link>
          {row.name !== '' && can(namespace, 'limits') && (
            <ActionButton
              operation="updateSet"
              place={{ namespace: ns, set: row.name }}
              small
              onClick={() => setLimiting(row)}
            >
              {t('Limits…')}
            </ActionButton>
          )}
          {row.name !== '' && (
            <ActionButton
              operation="truncateSet"
              place={{ namespace: ns, set: row.name }}
              small
              look="danger"
              onClick={() => setTruncating(row.name)}
            >
              {t('Truncate…')}
            </ActionButton>
          )}
        </span>
      ),
    },
  ]
  const creates = may('createSet', { namespace: ns })
  return (
    <>
      <Problem error={error} />
      <Card
        title={t('Sets')}
        aside={
          estimated
            ? t('the first record creates its set; numbers are estimates, and a scan corrects them')
            : !creates
              ? t('the first record creates its set')
              : t('the first record creates its set; create one yourself for a distribution bin')
        }
        end={
          <ActionButton
            operation="createSet"
            place={{ namespace: ns }}
            look="primary"
            onClick={() => setCreating(true)}
          >
            {t('Create a set')}
          </ActionButton>
        }
        flush={sets.length > 0}
      >
        {data === undefined && error === null && <Skeleton lines={4} height={22} />}
        {searches && (
          <div className="set-bar">
            <input
              className="input small"
              type="search"
              aria-label={t('Search the sets')}
              placeholder={t('Search by name…')}
              spellCheck={false}
              value={q}
              onChange={(event) => setSearch({ q: event.target.value, order })}
            />
            <SmallSelect
              label={t('Order of the sets')}
              value={order}
              choices={orderChoices}
              onChange={(next) => setSearch({ q, order: next })}
            />
            {total !== undefined && (
              <span className="mute" role="status">
                {asked === ''
                  ? t('{sets, plural, one {# set} other {# sets}}', { sets: total.sets })
                  : t('{sets, plural, one {# set} other {# sets}} found', { sets: total.sets })}
                {', '}
                {t('{records, plural, one {# record} other {# records}}', { records: total.records })}
              </span>
            )}
          </div>
        )}
        {data !== undefined && sets.length === 0 && asked !== '' && (
          <Empty title={t('No such sets')}>{t('No set has “{asked}” in its name.', { asked })}</Empty>
        )}
        {data !== undefined && sets.length === 0 && asked === '' && (
          <Empty
            title={t('No sets yet')}
            action={
              may('importRecords', { namespace: ns }) && (
                <Link to="/import" search={{ ns }} className="btn primary">
                  {t('Load data')}
                </Link>
              )
            }
          >
            {t('A set groups records of one kind, such as events or profiles.')}
          </Empty>
        )}
        {sets.length > 0 && (
          <DataTable
            label={t('Sets of {ns}', { ns })}
            columns={columns}
            rows={sets}
            keyOf={(row) => row.name}
            long={sets.length > LONG}
          />
        )}
        {hasNextPage && total !== undefined && (
          <div className="spread more">
            <span className="mute">
              {t('{sets} of {sets2, plural, one {# set} other {# sets}}', {
                sets: count(sets.length),
                sets2: total.sets,
              })}
            </span>
            <Button small busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('More sets')}
            </Button>
          </div>
        )}
      </Card>
      <TruncationsCard ns={ns} />
      {sizes !== undefined && (largest?.items.length ?? 0) > 1 && (
        <ChartCard title={t('Size by set')} aside={t('bytes of records as stored')} spec={sizes} />
      )}
      {(largest?.items.length ?? 0) > 0 && <HistogramCards key={ns} namespace={namespace} />}
      <p className="mute small">
        {t("With a set index, a scan of a small set reads only the set's records.")}{' '}
        {can(namespace, 'segments') && t('It costs about 2 bytes per record.')} {t('Writes keep it up to date.')}
      </p>
      <CreateSet namespace={namespace} open={creating} onClose={() => setCreating(false)} />
      {limiting !== undefined && <SetLimitsDialog ns={ns} set={limiting} onClose={() => setLimiting(undefined)} />}
      <TruncateSet namespace={namespace} set={truncating} onClose={() => setTruncating(undefined)} />
    </>
  )
}
