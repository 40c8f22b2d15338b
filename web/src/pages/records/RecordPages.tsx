import { memo, useCallback, useState } from 'react'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-may'
import { count } from '../../format'
import { type Asked, isPlain } from '../../records/found'
import type { RecordKey } from '../../records/key'
import { named } from '../../table/column'
import { ColumnsPlace } from '../../table/ColumnsPlace'
import { MenuPlace } from '../../table/menu-place'
import { SourceTable } from '../../table/SourceTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { AskFirst } from './filter/AskFirst'
import { FilterBar } from './filter/FilterBar'
import { PlanHint } from './filter/PlanHint'
import { useListPlan } from './filter/use-list-plan'
import { useGoAhead } from './filter/use-go-ahead'
import { ExportMenu } from './list/ExportMenu'
import { digestOf } from './list/record-window'
import { RowJump } from './list/RowJump'
import { SearchProgress } from './list/SearchProgress'
import { SelectionBar, type Task } from './list/SelectionBar'
import { useListColumns } from './list/use-list-columns'
import { useRecordWindow } from './list/use-record-window'
import { useSelection } from './list/use-selection'
import { t } from '../../language/text'

/** Rows that stand for a list whose first page is being read. */
const COMING = 12

interface Props {
  ns: string
  /** empty for records without a set; undefined if there is nothing to show */
  set: string | undefined
  /** number of records of the set, as last counted */
  total: number | undefined
  loaded: boolean
  asked: Asked
  onAsked: (asked: Asked) => void
  onOpen: (key: RecordKey) => void
  onCreate: () => void
}

/** The records of a set in one table, all of them or those that a filter finds; they are read as they come into view. */
export function RecordPages({ ns, set, total, loaded, asked, onAsked, onOpen, onCreate }: Props) {
  const plain = isPlain(asked)
  const begun = asked.from !== undefined || asked.segment !== undefined
  const plan = useListPlan(ns, set, asked)
  const { asks, goAhead } = useGoAhead(asked, plan.data)
  const list = useRecordWindow({ ns, set, asked, enabled: plain || (plan.data !== undefined && !asks) })
  const { window, version, first, error, refetch, reading } = list
  const selection = useSelection(window, version, asked.where)
  const [task, setTask] = useState<Task>()
  const [menuPlace] = useState(() => new MenuPlace())
  const may = useMay()
  const place = { namespace: ns, set }
  const writes = may('putRecord', place)
  const jump = useCallback(
    (segment: number | undefined) => onAsked({ ...asked, from: undefined, segment }),
    [asked, onAsked],
  )
  const { columns, bins } = useListColumns({ ns, set, items: first?.items, asked, onOpen })
  if (loaded && set === undefined) {
    return (
      <Card>
        <Empty
          title={t('No sets with records')}
          action={
            <div className="row">
              {may('importRecords', place) && (
                <Link to="/import" search={{ ns }} className="btn primary">
                  {t('Load data')}
                </Link>
              )}
              {writes && <Button onClick={onCreate}>{t('Write one record')}</Button>}
            </div>
          }
        >
          {t('The first record creates its set.')}
        </Empty>
      </Card>
    )
  }
  const title = set === '' ? t('Records without a set') : (set ?? '')
  const coming = window.known === 0 && reading && columns.length > 0
  const source = {
    count: coming ? COMING : window.count,
    at: (index: number) => window.at(index),
    keyOf: digestOf,
    indexOf: (digest: string, near: number) => window.indexOf(digest, near),
    onView: window.see,
  }
  const ordering = named(columns).find(({ def }) => def.orders !== undefined && def.orders.by === asked.by)
  const empty = first !== undefined && first.items.length === 0 && first.cursor === undefined && window.known === 0
  const shown = window.known > 0 || coming || task !== undefined
  return (
    <Card
      title={title}
      aside={
        window.known > 0 && (
          <Known known={window.known} whole={window.whole} total={total} filtered={asked.where !== ''} begun={begun} />
        )
      }
      end={
        <>
          {set !== undefined && may('exportRecords', place) && <Export ns={ns} set={set} where={asked.where} />}
          <Button small onClick={() => void refetch()}>
            {t('Refresh')}
          </Button>
        </>
      }
      flush={shown}
    >
      {set !== undefined && (
        <div className="list-head">
          <Filters ns={ns} set={set} bins={bins} asked={asked} plan={plan.data} onChange={onAsked}>
            {!plain && (
              <SearchProgress
                ns={ns}
                set={set}
                found={window.known}
                reading={reading}
                stopped={window.stopped}
                job={window.job}
                onStop={list.stop}
                onGoOn={list.goOn}
              >
                {plan.data !== undefined && <PlanHint ns={ns} set={set} asked={asked} plan={plan.data} />}
              </SearchProgress>
            )}
          </Filters>
          {plain && (
            <Jump ns={ns} set={set} segment={asked.from === undefined ? asked.segment : undefined} onSegment={jump} />
          )}
          <ColumnsPlace place={menuPlace} />
        </div>
      )}
      <Problem error={plan.error} onRetry={() => void plan.refetch()} />
      <Problem error={error} onRetry={() => void refetch()} />
      <Problem error={window.error} onRetry={window.retry} />
      {asks && plan.data !== undefined && (
        <AskFirst ns={ns} set={set ?? ''} asked={asked} plan={plan.data} onGoAhead={goAhead} />
      )}
      {!shown && first === undefined && error === null && plan.error === null && !asks && !window.stopped && (
        <Skeleton lines={8} height={20} />
      )}
      {empty && asked.where !== '' && (
        <Empty
          title={t('No matching records')}
          action={<Button onClick={() => onAsked({ ...asked, where: '' })}>{t('Clear the filter')}</Button>}
        >
          {t('No record of this set passes the filter.')}
        </Empty>
      )}
      {empty && asked.where === '' && (
        <Empty
          title={set === '' ? t('No records without a set') : t('This set is empty')}
          action={
            writes && (
              <Button look="primary" onClick={onCreate}>
                {t('Write a record')}
              </Button>
            )
          }
        >
          {writes && t('Import a file, or write a record.')}
        </Empty>
      )}
      {shown && (
        <SourceTable
          label={set === '' ? title : t('Records of {title}', { title })}
          list={`records.${ns}.${set ?? ''}`}
          menuPlace={menuPlace}
          columns={columns}
          source={source}
          marks={selection.marks}
          sort={ordering && { name: ordering.id, down: asked.desc }}
          onSort={({ name, down }) => {
            const by = named(columns).find(({ id }) => id === name)?.def.orders?.by
            if (by !== undefined) onAsked({ ...asked, by, desc: down })
          }}
          tall
        >
          <SelectionBar
            ns={ns}
            set={set ?? ''}
            selection={selection}
            loaded={window.held().length}
            more={!window.whole || begun}
            where={asked.where}
            total={total}
            task={task}
            onTask={setTask}
          />
        </SourceTable>
      )}
    </Card>
  )
}

// Records that are read draw the rows and their number, and none of these.
const Filters = memo(FilterBar)
const Jump = memo(RowJump)
const Export = memo(ExportMenu)

interface KnownProps {
  known: number
  whole: boolean
  total: number | undefined
  filtered: boolean
  /** whether the list begins elsewhere than at the first record */
  begun: boolean
}

/** How many records the list has, as far as it was read. */
function Known({ known, whole, total = 0, filtered, begun }: KnownProps) {
  if (begun)
    return t('{known} from there on, of about {total, plural, one {# record} other {# records}}', {
      known: count(known),
      total: Math.max(total, known),
    })
  if (filtered) {
    if (!whole) return t('{known, plural, one {# record} other {# records}} found so far', { known })
    return total > known
      ? t('{known} of about {total, plural, one {# record} other {# records}}', { known: count(known), total })
      : t('{known, plural, one {# record} other {# records}} found', { known })
  }
  if (whole) return t('{known, plural, one {# record} other {# records}}', { known })
  return t('the first {known} of about {total, plural, one {# record} other {# records}}', {
    known: count(known),
    total: Math.max(total, known),
  })
}
