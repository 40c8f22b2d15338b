import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { workloadsQuery } from '../../../api/queries'
import { useLinked, type ChartLink } from '../../../charts/card/link'
import type { Range } from '../../../charts/spec/spec'
import { PercentileCard } from '../../../components/percentiles/PercentileCard'
import { curveOf, percentileSpec } from '../../../components/percentiles/percentile-spec'
import { compareSpans } from '../../../live/latency/comparison'
import { totalsOf } from '../../../live/latency/summary'
import { spanQuery } from '../../../live/span'
import type { Feed } from '../../../live/feed'
import { useFeedValue, useLoaded } from '../../../live/use-feed'
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
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

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
        label={t('Compare with')}
        value={chosen ?? ''}
        choices={withChoices(chosen, known)}
        onChange={(value) => onChoose(value === '' ? undefined : value)}
      />
      <Tip text={t('Keep this span to compare others with it')}>
        <Button small onClick={() => onChoose(pinOf(settledRange(view, link)))}>
          {t('Pin')}
        </Button>
      </Tip>
    </>
  )
  const spans = range === undefined || other === undefined ? undefined : { view, range, other }
  // One card with the same controls, so that what is chosen keeps the focus.
  return (
    <div className="grid-2 top">
      {spans === undefined ? <Percentiles view={view} link={link} /> : <ComparedPercentiles key={chosen} {...spans} />}
      <Card
        title={t('Compare')}
        aside={
          spans === undefined
            ? t('with another span or a benchmark run')
            : t('with {words}', { words: spans.other.words })
        }
        end={controls}
      >
        {spans !== undefined && <ComparedFigures key={chosen} {...spans} />}
        {spans === undefined && (
          <>
            <Problem error={runs.error} />
            <p className="mute">
              {chosen === undefined
                ? t('Choose what the selection is compared with, or pin it and select another span.')
                : runs.data === undefined
                  ? ''
                  : t('That run is gone, or older than the history.')}
            </p>
          </>
        )}
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
    () =>
      past.data === undefined ? undefined : percentileSpec([curveOf(t('selection'), 1, totalsOf(past.data).totals)]),
    [past.data],
  )
  const loaded = useLoaded(view.feed)
  return (
    <PercentileCard
      key={String(isPast)}
      spec={isPast ? (spec ?? percentileSpec([])) : source}
      loading={isPast ? past.isPending : !loaded}
    />
  )
}

interface Spans {
  view: LiveView
  range: Range
  other: OtherSpan
}

/** Both spans are read from the history, whose steps say how sure the difference is. */
function useSpans({ view, range, other }: Spans) {
  const one = useQuery(spanQuery(range, view.filter))
  const two = useQuery(spanQuery(other.range, other.filter, other.run))
  const error = one.error ?? two.error
  return { one: one.data, two: two.data, error, loading: error === null && (one.isPending || two.isPending) }
}

function ComparedPercentiles(spans: Spans) {
  const { one, two, loading } = useSpans(spans)
  const { words } = spans.other
  const spec = useMemo(
    () =>
      one === undefined || two === undefined
        ? percentileSpec([])
        : percentileSpec([curveOf(t('selection'), 1, totalsOf(one).totals), curveOf(words, 2, totalsOf(two).totals)]),
    [one, two, words],
  )
  return <PercentileCard spec={spec} loading={loading} />
}

function ComparedFigures(spans: Spans) {
  const { one, two, error, loading } = useSpans(spans)
  const figures = useMemo(
    () => (one === undefined || two === undefined ? undefined : compareSpans(one, two)),
    [one, two],
  )
  return (
    <>
      <Problem error={error} />
      {loading && <Skeleton lines={7} />}
      {figures !== undefined && (
        <>
          <div className="compared">
            <CompareTable figures={figures} other={spans.other.words} />
          </div>
          <p className="mute small" style={{ marginTop: 8 }}>
            {t(
              'With 99% confidence. A difference below 5%, of a quantile below 6.25% (a bucket of the histogram), counts as none. Of a share the misses are compared, or the hits if they are fewer: a change of their number by less than a quarter counts as none. Cannot tell: too few operations, or they vary too much.',
            )}
          </p>
        </>
      )}
    </>
  )
}
