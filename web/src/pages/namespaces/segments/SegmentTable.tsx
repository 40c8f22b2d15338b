import { useMemo } from 'react'
import type { Segment } from '../../../api/types'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { factsOf, roleOf, type Fact, type SegmentMap } from './segment-map'
import { t } from '../../../language/text'

interface Row extends Segment {
  /** place in the map */
  at: number
}

interface Props {
  map: SegmentMap
  onOpen: (segment: number) => void
}

/** The facts of all segments, which a search finds, such as the name of an owner; sorts by any of them. */
export function SegmentTable({ map, onOpen }: Props) {
  const rows = useMemo(() => map.segments.map((segment, at): Row => ({ ...segment, at })), [map])
  const columns = useMemo(() => columnsOf(map, onOpen), [map, onOpen])
  return (
    <DataTable
      label={t('Segments')}
      list="segments"
      noun={(segments) => t('{segments, plural, one {# segment} other {# segments}}', { segments })}
      columns={columns}
      rows={rows}
      keyOf={({ segment }) => String(segment)}
      long
    />
  )
}

function columnsOf(map: SegmentMap, onOpen: (segment: number) => void): ColumnDef<Row>[] {
  const factOf =
    (fact: Fact) =>
    ({ at }: Row): string =>
      factsOf(map, at)[fact]
  return [
    {
      name: 'segment',
      label: t('segment'),
      sort: ({ segment }) => segment,
      cell: ({ segment }) => (
        <button type="button" className="link mono" onClick={() => onOpen(segment)}>
          {segment}
        </button>
      ),
    },
    ...(map.ownership === undefined
      ? []
      : ([
          { name: 'this node', label: t('this node'), sort: (row) => roleOf(map, row), cell: factOf('role') },
          {
            name: 'owners',
            label: t('owners'),
            sort: ({ owners }) => owners?.[0] ?? -1,
            cell: factOf('owners'),
            right: true,
          },
        ] satisfies ColumnDef<Row>[])),
    { name: 'records', label: t('records'), sort: ({ records }) => records, cell: factOf('records'), right: true },
    { name: 'bytes', label: t('bytes'), sort: ({ liveBytes }) => liveBytes, cell: factOf('bytes'), right: true },
    {
      name: 'allocated',
      label: t('allocated'),
      sort: ({ allocatedBytes }) => allocatedBytes ?? 0,
      cell: factOf('allocated'),
      right: true,
    },
    { name: 'heat', label: t('heat'), sort: ({ at }) => map.heat?.[at] ?? 0, cell: factOf('heat'), right: true },
  ]
}
