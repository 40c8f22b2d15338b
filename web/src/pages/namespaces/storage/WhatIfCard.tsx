import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { pageSizesQuery } from '../../../api/queries'
import { bytes, count, fixed, shortCount, times } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import { Skeleton } from '../../../ui/Skeleton'
import { sizeRows, verdict } from './what-if'
import { t } from '../../../language/text'

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
      : t(
          'from {samples, plural, one {{samplesShown} sampled read} other {{samplesShown} sampled reads}}, with the same amount of cache',
          { samples: data.samples, samplesShown: shortCount(data.samples) },
        )
  return (
    <Card title={t('Other page sizes')} aside={aside}>
      <Problem error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('Not enough samples yet')}>
          {data.samplesNeeded > 0 &&
            t('{samples} of {samplesNeeded, plural, one {# read} other {# reads}}.', {
              samples: count(data.samples),
              samplesNeeded: data.samplesNeeded,
            })}{' '}
          {t('Reading records adds samples.')}
          {data.samplesNeeded > 0 && <Progress label={t('Samples')} done={data.samples} total={data.samplesNeeded} />}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <DataTable
            label={t('Page sizes')}
            rows={rows}
            keyOf={({ label }) => label}
            columns={[
              {
                name: 'page size',
                label: t('page size'),
                sort: (row) => row.pageBytes,
                cell: ({ label, current }) => (
                  <>
                    {label} {current && <span className="badge accent">{t('now')}</span>}
                  </>
                ),
              },
              {
                name: 'misses per read',
                label: t('misses per read'),
                right: true,
                sort: (row) => row.missesPerRead,
                cell: (row) => fixed(row.missesPerRead, 3),
              },
              {
                name: 'read from disk',
                label: t('read from disk'),
                right: true,
                sort: (row) => row.readBytesPerRead,
                cell: (row) => bytes(row.readBytesPerRead),
              },
              {
                name: 'change',
                label: t('change'),
                right: true,
                cell: ({ against }) => times(against),
              },
              {
                name: 'bytes per read',
                label: t('bytes per read'),
                cell: ({ part, current }) => (
                  <div className="bars slim" aria-hidden="true">
                    <i style={{ width: `${part * 100}%`, background: `var(--fill-${current ? 'accent' : 'none'})` }} />
                  </div>
                ),
              },
            ]}
          />
          <p className="mute small">
            {t(
              "{best} The page size is fixed for a namespace's life. To change it, export the records and import them into a new namespace.",
              { best: best ?? t('No other page size would read clearly fewer bytes.') },
            )}
          </p>
        </>
      )}
    </Card>
  )
})
