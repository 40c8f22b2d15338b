import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { pageSizesQuery } from '../../../api/queries'
import { bytes, count, plural, shortCount } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import { Skeleton } from '../../../ui/Skeleton'
import { sizeRows, verdict } from './what-if'

interface Props {
  name: string
  pageBytes: number
  paused: boolean
}

/** Estimated cost of the past reads with other page sizes and the same amount of cache. */
export const WhatIfCard = memo(function WhatIfCard({ name, pageBytes, paused }: Props) {
  const { data, error, refetch } = useQuery({ ...pageSizesQuery(name), enabled: !paused })
  const rows = data === undefined ? [] : sizeRows(data, pageBytes)
  const best = verdict(rows)
  const aside =
    data === undefined
      ? undefined
      : `from ${plural(data.samples, 'sampled read', shortCount)}, with the same amount of cache`
  return (
    <Card title="Other page sizes" aside={aside}>
      <Problem error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title="Not enough samples yet">
          {data.samplesNeeded > 0 && `${count(data.samples)} of ${plural(data.samplesNeeded, 'read')}. `}
          Reading records adds samples.
          {data.samplesNeeded > 0 && <Progress label="Samples" done={data.samples} total={data.samplesNeeded} />}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <DataTable
            label="Page sizes"
            rows={rows}
            keyOf={({ label }) => label}
            columns={[
              {
                name: 'page size',
                sort: (row) => row.pageBytes,
                cell: ({ label, current }) => (
                  <>
                    {label} {current && <span className="badge accent">now</span>}
                  </>
                ),
              },
              {
                name: 'misses per read',
                right: true,
                sort: (row) => row.missesPerRead,
                cell: (row) => row.missesPerRead.toFixed(3),
              },
              {
                name: 'read from disk',
                right: true,
                sort: (row) => row.readBytesPerRead,
                cell: (row) => bytes(row.readBytesPerRead),
              },
              {
                name: 'change',
                right: true,
                cell: ({ against }) => (against === undefined ? '–' : `${against.toFixed(2)}×`),
              },
              {
                name: 'bytes per read',
                cell: ({ part, current }) => (
                  <div className="bars slim" aria-hidden="true">
                    <i style={{ width: `${part * 100}%`, background: `var(--fill-${current ? 'accent' : 'none'})` }} />
                  </div>
                ),
              },
            ]}
          />
          <p className="mute small">
            {best ?? 'No other page size would read clearly fewer bytes.'} The page size is fixed for a namespace&apos;s
            life. To change it, export the records and import them into a new namespace.
          </p>
        </>
      )}
    </Card>
  )
})
