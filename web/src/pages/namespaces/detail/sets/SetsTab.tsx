import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { setsQuery } from '../../../../api/queries'
import type { Namespace, RecordSet } from '../../../../api/types'
import { useMay } from '../../../../api/use-may'
import { ChartCard } from '../../../../charts/card/ChartCard'
import { setName } from '../../../../components/fields/set-name'
import { can, type Feature } from '../../../../components/namespaces/can'
import { bytes, count, plural } from '../../../../format'
import type { ColumnDef } from '../../../../table/column'
import { DataTable } from '../../../../table/DataTable'
import { Button } from '../../../../ui/Button'
import { Card } from '../../../../ui/Card'
import { Empty } from '../../../../ui/Empty'
import { Problem } from '../../../../ui/Problem'
import { Skeleton } from '../../../../ui/Skeleton'
import { CreateSet } from './CreateSet'
import { HistogramCards } from './HistogramCards'
import { setSizes } from './set-sizes'
import { SetLimitsDialog } from './SetLimitsDialog'
import { SetIndexSwitch } from './SetIndexSwitch'
import { TruncateSet } from './TruncateSet'
import { useNamespace } from '../use-namespace'

function limitsText({ records, bytes: size, limits: { maxRecords = 0, maxBytes = 0 } }: RecordSet) {
  if (maxRecords === 0 && maxBytes === 0) return <span className="mute">–</span>
  const full = (maxRecords > 0 && records >= maxRecords) || (maxBytes > 0 && size >= maxBytes)
  const parts = [...(maxRecords > 0 ? [plural(maxRecords, 'record')] : []), ...(maxBytes > 0 ? [bytes(maxBytes)] : [])]
  return <span className={`badge ${full ? 'bad' : ''}`}>{parts.join(', ')}</span>
}

/** Columns of what the engine can set. */
function settingsOf(namespace: Namespace): ColumnDef<RecordSet>[] {
  const columns: (ColumnDef<RecordSet> & { needs?: Feature })[] = [
    // First, so that it is in view on a narrow screen too.
    { name: 'set index', cell: (row) => <SetIndexSwitch ns={namespace.name} set={row} /> },
    {
      needs: 'segments',
      name: 'distribution bin',
      cell: (row) =>
        row.distributionBin === undefined ? <span className="mute">–</span> : <code>{row.distributionBin}</code>,
    },
    { needs: 'limits', name: 'limits', cell: (row) => limitsText(row) },
    {
      needs: 'segments',
      name: 'index memory',
      right: true,
      sort: (row) => row.index.bytes,
      cell: (row) => indexMemory(row),
    },
  ]
  return columns.filter(({ needs }) => needs === undefined || can(namespace, needs))
}

const indexMemory = ({ index, records }: RecordSet): string =>
  index.state === 'off'
    ? '–'
    : `${bytes(index.bytes)}${records > 0 ? ` · ${(index.bytes / records).toFixed(2)} B/rec` : ''}`

/** The sets of a namespace with size, set index and limits; each can be truncated. */
export function SetsTab() {
  const namespace = useNamespace()
  const { name: ns } = namespace
  const estimated = namespace.capabilities.counts === 'estimated'
  const { data, error } = useQuery({ ...setsQuery(ns), refetchInterval: 2000 })
  const sets = useMemo(() => data?.items ?? [], [data])
  const sizes = useMemo(() => setSizes(sets), [sets])
  const may = useMay()
  const [creating, setCreating] = useState(false)
  const [limiting, setLimiting] = useState<RecordSet>()
  const [truncating, setTruncating] = useState<string>()
  const columns: ColumnDef<RecordSet>[] = [
    {
      name: 'set',
      sort: (row) => row.name,
      cell: (row) => (
        <Link to="/records" search={{ ns, set: row.name }}>
          {row.name === '' ? setName('') : <strong>{row.name}</strong>}
        </Link>
      ),
    },
    { name: 'records', right: true, sort: (row) => row.records, cell: (row) => count(row.records) },
    { name: 'size', right: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
    ...settingsOf(namespace),
    {
      name: 'actions',
      actions: true,
      cell: (row) => (
        <span className="row end nowrap-row">
          <Link to="/scans" search={{ ns, set: row.name }} className="btn small">
            Scan
          </Link>
          {row.name !== '' && can(namespace, 'limits') && may('updateSet', { namespace: ns, set: row.name }) && (
            <Button small onClick={() => setLimiting(row)}>
              Limits…
            </Button>
          )}
          {row.name !== '' && may('truncateSet', { namespace: ns, set: row.name }) && (
            <Button small look="danger" onClick={() => setTruncating(row.name)}>
              Truncate…
            </Button>
          )}
        </span>
      ),
    },
  ]
  const create = may('createSet', { namespace: ns }) && (
    <Button look="primary" onClick={() => setCreating(true)}>
      Create a set
    </Button>
  )
  return (
    <>
      <Problem error={error} />
      <Card
        title="Sets"
        aside={
          estimated
            ? 'the first record creates its set; numbers are estimates, and a scan corrects them'
            : `the first record creates its set${create === false ? '' : '; create one yourself for a distribution bin'}`
        }
        end={create}
        flush={data !== undefined && data.items.length > 0}
      >
        {data === undefined && error === null && <Skeleton lines={4} height={22} />}
        {data?.items.length === 0 && (
          <Empty
            title="No sets yet"
            action={
              may('importRecords', { namespace: ns }) && (
                <Link to="/import" search={{ ns }} className="btn primary">
                  Load data
                </Link>
              )
            }
          >
            A set groups records of one kind, such as events or profiles.
          </Empty>
        )}
        {data !== undefined && data.items.length > 0 && (
          <DataTable label={`Sets of ${ns}`} columns={columns} rows={data.items} keyOf={(row) => row.name} />
        )}
      </Card>
      {sets.length > 1 && <ChartCard title="Size by set" aside="bytes of records as stored" spec={sizes} />}
      {sets.length > 0 && <HistogramCards key={ns} ns={ns} sets={sets} />}
      <p className="mute small">
        With a set index, a scan of a small set reads only the set's records.{' '}
        {can(namespace, 'segments') && 'It costs about 2 bytes per record. '}Writes keep it up to date.
      </p>
      <CreateSet namespace={namespace} open={creating} onClose={() => setCreating(false)} />
      {limiting !== undefined && <SetLimitsDialog ns={ns} set={limiting} onClose={() => setLimiting(undefined)} />}
      <TruncateSet ns={ns} set={truncating} onClose={() => setTruncating(undefined)} />
    </>
  )
}
