import { useMemo } from 'react'
import { DataTable, type ColumnDef } from '../../../table/DataTable'
import { factsOf, type SegmentMap } from './segment-map'

interface Row extends ReturnType<typeof factsOf> {
  segment: number
  at: number
}

interface Props {
  map: SegmentMap
  onOpen: (segment: number) => void
}

/** The facts of all segments; sorts by any of them. */
export function SegmentTable({ map, onOpen }: Props) {
  const rows = useMemo(() => map.segments.map(({ segment }, at): Row => ({ segment, at, ...factsOf(map, at) })), [map])
  const columns: ColumnDef<Row>[] = [
    {
      name: 'segment',
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
          { name: 'this node', sort: ({ role }) => role, cell: ({ role }) => role },
          {
            name: 'owners',
            sort: ({ at }) => map.segments[at]?.owners?.[0] ?? -1,
            cell: ({ owners }) => owners,
            right: true,
          },
        ] satisfies ColumnDef<Row>[])),
    {
      name: 'records',
      sort: ({ at }) => map.segments[at]?.records ?? 0,
      cell: ({ records }) => records,
      right: true,
    },
    {
      name: 'bytes',
      sort: ({ at }) => map.segments[at]?.liveBytes ?? 0,
      cell: ({ bytes }) => bytes,
      right: true,
    },
    {
      name: 'allocated',
      sort: ({ at }) => map.segments[at]?.allocatedBytes ?? 0,
      cell: ({ allocated }) => allocated,
      right: true,
    },
    { name: 'heat', sort: ({ at }) => map.heat?.[at] ?? 0, cell: ({ heat }) => heat, right: true },
  ]
  return (
    <div className="segment-table">
      <DataTable label="Segments" columns={columns} rows={rows} keyOf={({ segment }) => String(segment)} />
    </div>
  )
}
