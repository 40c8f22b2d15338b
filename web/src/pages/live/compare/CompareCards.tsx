import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { workloadsQuery } from '../../../api/queries'
import { useLinked, type ChartLink } from '../../../charts/card/link'
import type { Range } from '../../../charts/spec/spec'
import { PercentileCard } from '../../../components/percentiles/PercentileCard'
import { curveOf, percentileSpec } from '../../../components/percentiles/percentile-spec'
import { compareSpans } from '../../../live/latency/comparison'
import { totalsOf } from '../../../live/latency/summary'
import { spanQuery } from '../../../live/span'
import type { Feed } from '../../../live/feed'
import { useFeedValue } from '../../../live/use-feed'
import type { LiveView } from '../../../live/view'
import { columnStart } from '../../../live/window'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { SmallSelect } from '../../../ui/inputs'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { CompareTable } from './CompareTable'
import { knownRuns, otherSpan, pinOf, withChoices, type OtherSpan, type With } from './other-span'
import { percentileSource } from './percentile-source'
import { isHeld } from './held'

interface Props {
  view: LiveView
  link: ChartLink
  chosen: With | undefined
  onChoose: (chosen: With | undefined) => void
}

/** A window that moves is compared anew this often. */
const REFRESH_MS = 10_000

/** The percentiles of the selection, and its comparison with another span. */
export function CompareCards({ view, link, chosen, onChoose }: Props) {
  // The newest page is enough to choose from.
  const runs = useInfiniteQuery(workloadsQuery())
  const range = useSettledRange(view, link, chosen !== undefined)
  const known = useMemo(() => knownRuns(runs.data?.pages[0]?.items ?? [], view.feed.endMs), [runs.data, view])
  const other = chosen === undefined || range === undefined ? undefined : otherSpan(chosen, range, view.filter, known)
  const controls = (
    <>
      <SmallSelect
        label="Compare with"
        value={chosen ?? ''}
        choices={withChoices(chosen, known)}
        onChange={(value) => onChoose(value === '' ? undefined : value)}
      />
      <Button
        small
        onClick={() => onChoose(pinOf(settledRange(view, link)))}
        title="Keep this span to compare others with it"
      >
        Pin
      </Button>
    </>
  )
  if (range !== undefined && other !== undefined) return <Compared key={chosen} {...{ view, range, other, controls }} />
  return (
    <div className="grid-2 top">
      <Percentiles view={view} link={link} />
      <Card title="Compare" aside="with another span or a benchmark run" end={controls}>
        <Problem error={runs.error} />
        <p className="mute">
          {chosen === undefined
            ? 'Choose what the selection is compared with, or pin it and select another span.'
            : runs.data === undefined
              ? ''
              : 'That run is gone, or older than the history.'}
        </p>
      </Card>
    </div>
  )
}

const settledEnd = ({ endMs, stepMs }: Feed): number => columnStart(endMs, Math.max(stepMs, REFRESH_MS))

/** The selection, or the window in steps that are long enough to be compared. */
function settledRange({ feed }: LiveView, link: ChartLink): Range {
  const end = settledEnd(feed)
  return link.state.selection ?? { from: end - feed.windowMs, to: end }
}

/** The same as it changes, if it is wanted. */
function useSettledRange(view: LiveView, link: ChartLink, isWanted: boolean): Range | undefined {
  const selection = useLinked(link, (state) => state.selection)
  const end = useFeedValue(view.feed, (feed) => (isWanted ? settledEnd(feed) : undefined))
  return useMemo(() => {
    if (end === undefined) return undefined
    return selection ?? { from: end - view.feed.windowMs, to: end }
  }, [selection, end, view])
}

function Percentiles({ view, link }: Pick<Props, 'view' | 'link'>) {
  const selection = useLinked(link, (state) => state.selection)
  // The feed always has its window.
  const isPast = useFeedValue(view.feed, () => selection !== undefined && !isHeld(view, selection))
  const past = useQuery({ ...spanQuery(selection ?? view.range, view.filter), enabled: isPast })
  const source = useMemo(() => percentileSource(view, link), [view, link])
  const spec = useMemo(
    () => (past.data === undefined ? undefined : percentileSpec([curveOf('selection', 1, totalsOf(past.data).totals)])),
    [past.data],
  )
  const loaded = useFeedValue(view.feed, (feed) => feed.loaded)
  return (
    <PercentileCard
      key={String(isPast)}
      spec={isPast ? (spec ?? percentileSpec([])) : source}
      loading={isPast ? past.isPending : !loaded}
    />
  )
}

interface ComparedProps {
  view: LiveView
  range: Range
  other: OtherSpan
  controls: ReactNode
}

/** Both spans are read from the history, whose steps say how sure the difference is. */
function Compared({ view, range, other, controls }: ComparedProps) {
  const one = useQuery(spanQuery(range, view.filter))
  const two = useQuery(spanQuery(other.range, other.filter, other.run))
  const compared = useMemo(() => {
    if (one.data === undefined || two.data === undefined) return undefined
    const curves = [
      curveOf('selection', 1, totalsOf(one.data).totals),
      curveOf(other.words, 2, totalsOf(two.data).totals),
    ]
    return { figures: compareSpans(one.data, two.data), spec: percentileSpec(curves) }
  }, [one.data, two.data, other.words])
  const error = one.error ?? two.error
  return (
    <div className="grid-2 top">
      <PercentileCard spec={compared?.spec ?? percentileSpec([])} loading={compared === undefined && error === null} />
      <Card title="Compare" aside={`with ${other.words}`} end={controls}>
        <Problem error={error} />
        {compared === undefined && error === null && <Skeleton lines={7} />}
        {compared !== undefined && (
          <>
            <div className="compared">
              <CompareTable figures={compared.figures} other={other.words} />
            </div>
            <p className="mute small" style={{ marginTop: 8 }}>
              With 99% confidence. A difference below 5%, of a quantile below 6.25% (a bucket of the histogram), counts
              as none. Of a share the misses are compared, or the hits if they are fewer: a change of their number by
              less than a quarter counts as none. Cannot tell: too few operations, or they vary too much.
            </p>
          </>
        )}
      </Card>
    </div>
  )
}
