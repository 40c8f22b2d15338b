import { Link } from '@tanstack/react-router'
import type { Namespace, RecordSet } from '../../../../api/types'
import { setName } from '../../../../components/fields/set-name'
import { can, type Feature } from '../../../../components/namespaces/can'
import { bytes, count, fixed } from '../../../../format'
import type { ColumnDef } from '../../../../table/column'
import { SetIndexSwitch } from './SetIndexSwitch'
import { t } from '../../../../language/text'

function limitsText({ records, bytes: size, limits: { maxRecords = 0, maxBytes = 0 } }: RecordSet) {
  if (maxRecords === 0 && maxBytes === 0) return <span className="mute">–</span>
  const full = (maxRecords > 0 && records >= maxRecords) || (maxBytes > 0 && size >= maxBytes)
  const parts = [
    ...(maxRecords > 0 ? [t('{maxRecords, plural, one {# record} other {# records}}', { maxRecords })] : []),
    ...(maxBytes > 0 ? [bytes(maxBytes)] : []),
  ]
  return <span className={`badge ${full ? 'bad' : ''}`}>{parts.join(', ')}</span>
}

/** Columns of what the engine can set. */
function settingsOf(namespace: Namespace): ColumnDef<RecordSet>[] {
  const columns: (ColumnDef<RecordSet> & { needs?: Feature })[] = [
    // First, so that it is in view on a narrow screen too.
    { name: 'set index', label: t('set index'), cell: (row) => <SetIndexSwitch ns={namespace.name} set={row} /> },
    {
      needs: 'segments',
      name: 'distribution bin',
      label: t('distribution bin'),
      low: 3,
      cell: (row) =>
        row.distributionBin === undefined ? <span className="mute">–</span> : <code>{row.distributionBin}</code>,
    },
    { needs: 'limits', name: 'limits', label: t('limits'), low: 5, cell: (row) => limitsText(row) },
    {
      needs: 'segments',
      name: 'index memory',
      label: t('index memory'),
      low: 4,
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
    : `${bytes(index.bytes)}${records > 0 ? ` · ${t('{n} B per record', { n: fixed(index.bytes / records, 2) })}` : ''}`

/** Columns of what every engine tells. `sorts`: the table may sort its rows, because it has all of them. */
export function setColumns(namespace: Namespace, sorts: boolean): ColumnDef<RecordSet>[] {
  const columns: ColumnDef<RecordSet>[] = [
    {
      name: 'set',
      label: t('set'),
      sort: (row) => row.name,
      cell: (row) => (
        <Link to="/records" search={{ ns: namespace.name, set: row.name }} className="long-name">
          {row.name === '' ? setName('') : <strong>{row.name}</strong>}
        </Link>
      ),
    },
    {
      name: 'records',
      label: t('records'),
      right: true,
      sort: (row) => row.records,
      cell: (row) => count(row.records),
    },
    { name: 'size', label: t('size'), low: 2, right: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
    ...settingsOf(namespace),
  ]
  return sorts ? columns : columns.map(withoutSort)
}

function withoutSort(column: ColumnDef<RecordSet>): ColumnDef<RecordSet> {
  const { name, cell, right, actions, low } = column
  return {
    name,
    cell,
    ...(low !== undefined && { low }),
    ...(right !== undefined && { right }),
    ...(actions !== undefined && { actions }),
  }
}
