import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-may'
import { dateTime, plural } from '../../format'
import { binColumns, binsOf, hiddenWords } from '../../records/rows/columns'
import { type Exact, isExactObject, LosslessNumber } from '../../records/json'
import { damageOf, keyOf, type RecordKey } from '../../records/key'
import { DamageBadge } from '../../records/rows/DamageBadge'
import { readPage } from '../../records/client'
import { cellText } from '../../records/rows/RecordRows'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { plainChoices, SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'

interface Props {
  ns: string
  /** empty for records without a set; undefined if there is nothing to show */
  set: string | undefined
  loaded: boolean
  onOpen: (key: RecordKey) => void
  onCreate: () => void
}

const sizes = ['25', '50', '100', '500'] as const
const MOST_BINS = 5

/** Records of a set in pages; each page has a cursor to the next. */
export function RecordPages({ ns, set, loaded, onOpen, onCreate }: Props) {
  const [size, setSize] = useState<(typeof sizes)[number]>('50')
  const [cursors, setCursors] = useState<string[]>([])
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['records', ns, set, size, cursors.at(-1)],
    queryFn: () => readPage(ns, set ?? '', Number(size), cursors.at(-1)),
    enabled: set !== undefined,
    placeholderData: keepPreviousData,
  })
  const may = useMay()
  const place = { namespace: ns, set }
  const writes = may('putRecord', place)
  const rows = data?.items ?? []
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
  const { names, hidden } = binColumns(rows, MOST_BINS)
  const pager = (
    <>
      <SmallSelect
        label="Records per page"
        value={size}
        choices={plainChoices(sizes)}
        onChange={(next) => {
          setSize(next)
          setCursors([])
        }}
      />
      <Button small disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
        Previous
      </Button>
      <span className="num mute">page {cursors.length + 1}</span>
      <Button
        small
        disabled={data?.cursor === undefined || isFetching}
        onClick={() => {
          if (data?.cursor !== undefined) setCursors([...cursors, data.cursor])
        }}
      >
        Next
      </Button>
      <Button small onClick={() => void refetch()}>
        Refresh
      </Button>
    </>
  )
  return (
    <Card
      title={title}
      aside={data && [`${plural(rows.length, 'record')} on this page`, hiddenWords(hidden)].filter(Boolean).join(' · ')}
      end={pager}
      flush={rows.length > 0}
    >
      <Problem error={error} />
      {data === undefined && error === null && <Skeleton lines={8} height={20} />}
      {data !== undefined && rows.length === 0 && (
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
      {rows.length > 0 && (
        <DataTable
          label={set === '' ? title : `Records of ${title}`}
          columns={columnsFor(names, onOpen)}
          rows={rows}
          keyOf={(row) => damageOf(row)?.digest ?? (isExactObject(row) ? String(row['digest']) : '')}
        />
      )}
    </Card>
  )
}

function columnsFor(names: string[], onOpen: (key: RecordKey) => void): ColumnDef<Exact>[] {
  return [
    {
      name: 'key',
      cell: (row) => {
        const key = keyOf(row)
        const damage = damageOf(row)
        if (damage !== undefined) return <DamageBadge {...damage} />
        return key === undefined ? (
          '–'
        ) : (
          <button type="button" className="link mono cell" onClick={() => onOpen(key)}>
            {key.text}
          </button>
        )
      },
    },
    ...names.map((name): ColumnDef<Exact> => ({
      name,
      cell: (row) => <span className="mono cell">{cellText(binsOf(row)[name])}</span>,
    })),
    {
      name: 'gen',
      right: true,
      cell: (row) =>
        isExactObject(row) && row['generation'] instanceof LosslessNumber ? row['generation'].toString() : '',
    },
    {
      name: 'updated',
      cell: (row) => (
        <span className="num mute">
          {isExactObject(row) && typeof row['updatedAt'] === 'string' ? dateTime(Date.parse(row['updatedAt'])) : ''}
        </span>
      ),
    },
  ]
}
