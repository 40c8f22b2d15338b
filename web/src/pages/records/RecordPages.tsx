import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/use-may'
import { count, plural } from '../../format'
import type { RecordKey } from '../../records/key'
import { SourceTable } from '../../table/SourceTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { recordColumns } from './list/record-columns'
import { digestOf } from './list/record-window'
import { SelectionBar } from './list/SelectionBar'
import { useRecordWindow } from './list/use-record-window'
import { useSelection } from './list/use-selection'

interface Props {
  ns: string
  /** empty for records without a set; undefined if there is nothing to show */
  set: string | undefined
  /** number of records of the set, as last counted */
  total: number | undefined
  loaded: boolean
  onOpen: (key: RecordKey) => void
  onCreate: () => void
}

/** All records of a set in one table; they are read as they come into view. */
export function RecordPages({ ns, set, total, loaded, onOpen, onCreate }: Props) {
  const { window, version, first, error, refetch } = useRecordWindow(ns, set)
  const selection = useSelection(window, version)
  const may = useMay()
  const place = { namespace: ns, set }
  const writes = may('putRecord', place)
  const columns = useMemo(() => recordColumns(first?.items ?? [], onOpen), [first, onOpen])
  if (loaded && set === undefined) {
    return (
      <Card>
        <Empty
          title="No sets with records"
          action={
            <div className="row">
              {may('importRecords', place) && (
                <Link to="/import" search={{ ns }} className="btn primary">
                  Load data
                </Link>
              )}
              {writes && <Button onClick={onCreate}>Write one record</Button>}
            </div>
          }
        >
          The first record creates its set.
        </Empty>
      </Card>
    )
  }
  const title = set === '' ? 'Records without a set' : (set ?? '')
  const source = {
    count: window.count,
    at: (index: number) => window.at(index),
    keyOf: digestOf,
    indexOf: (digest: string, near: number) => window.indexOf(digest, near),
    onView: window.see,
  }
  return (
    <Card
      title={title}
      aside={
        window.known > 0 &&
        (window.whole
          ? plural(window.known, 'record')
          : `the first ${count(window.known)} of about ${plural(Math.max(total ?? 0, window.known), 'record')}`)
      }
      end={
        <Button small onClick={() => void refetch()}>
          Refresh
        </Button>
      }
      flush={window.known > 0}
    >
      <Problem error={error} onRetry={() => void refetch()} />
      <Problem error={window.error} onRetry={window.retry} />
      {first === undefined && error === null && <Skeleton lines={8} height={20} />}
      {first !== undefined && first.items.length === 0 && first.cursor === undefined && (
        <Empty
          title={set === '' ? 'No records without a set' : 'This set is empty'}
          action={
            writes && (
              <Button look="primary" onClick={onCreate}>
                Write a record
              </Button>
            )
          }
        >
          {writes && 'Import a file, or write a record.'}
        </Empty>
      )}
      {window.known > 0 && (
        <SourceTable
          label={set === '' ? title : `Records of ${title}`}
          list={`records.${ns}.${set ?? ''}`}
          columns={columns}
          source={source}
          marks={selection.marks}
          tall
        >
          <SelectionBar ns={ns} set={set ?? ''} selection={selection} loaded={window.held().length} />
        </SourceTable>
      )}
    </Card>
  )
}
