import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { CurlLine } from '../../../components/CurlLine'
import { readSegmentPage, segmentCall } from '../../../records/client'
import { RecordRows } from '../../../records/rows/RecordRows'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { segmentWords, type SegmentMap } from './segment-map'
import { t } from '../../../language/text'

const PAGE = 50

interface Props {
  ns: string
  map: SegmentMap
  /** place of the segment */
  at: number
  /** takes the focus, because the user opened it */
  focused: boolean
  onClose: () => void
}

/** The records of one segment, a page at a time. */
export function SegmentRecords({ ns, map, at, focused, onClose }: Props) {
  const { segment = 0, records = 0 } = map.segments[at] ?? {}
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['records', ns, 'segment', segment],
    queryFn: ({ pageParam }) => readSegmentPage(segmentCall(ns, segment, PAGE, pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  })
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  const place = useRef<HTMLElement>(null)
  const come = data !== undefined
  useEffect(() => {
    if (focused) place.current?.focus({ preventScroll: true })
  }, [focused])
  useEffect(() => {
    if (come) place.current?.scrollIntoView({ block: 'nearest' })
  }, [come])
  return (
    <Card
      ref={place}
      title={t('Records of segment {segment}', { segment })}
      aside={segmentWords(map, at).replace(/^[^:]*: /, '')}
      end={
        <>
          <Button small busy={isFetching} onClick={() => void refetch()}>
            {t('Refresh')}
          </Button>
          <Button small onClick={onClose}>
            {t('Close')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Problem error={error} />
        {data === undefined && error === null && <Skeleton lines={5} height={20} />}
        {data !== undefined && rows.length === 0 && (
          <Empty title={t('No records in this segment')}>
            {t('The digest of a key chooses the segment of its record.')}
          </Empty>
        )}
        {rows.length > 0 && <RecordRows rows={rows} ns={ns} total={Math.max(records, rows.length)} />}
        {hasNextPage && (
          <div className="row">
            <Button busy={isFetching} onClick={() => void fetchNextPage()}>
              {t('{page} more', { page: PAGE })}
            </Button>
          </div>
        )}
        <CurlLine {...segmentCall(ns, segment, PAGE)} />
      </div>
    </Card>
  )
}
