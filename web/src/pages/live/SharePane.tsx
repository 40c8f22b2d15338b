import { memo, useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import type { ChartSpec, YAxis } from '../../charts/spec/spec'
import { share } from '../../format'
import type { Column } from '../../live/buffer'
import { shareWithin } from '../../live/latency/quantile'
import { useFeedValue, useLoaded } from '../../live/use-feed'
import { useWritten, writeClass, writeText } from '../../live/use-written'
import type { LiveView } from '../../live/view'
import { Segmented } from '../../ui/Segmented'
import { liveSource, timeOf } from './live-source'
import type { ShareScale } from './search'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

const scales = [
  { value: '90', label: '90–100%' },
  { value: '0', label: '0–100%' },
  { value: 'nines', label: t('nines') },
] as const

const edges = [
  { label: '≤ 250 µs', colour: 3, of: within(250e3) },
  { label: t('≤ 1 ms'), colour: 1, of: within(1e6) },
  { label: t('≤ 5 ms'), colour: 2, of: within(5e6) },
  { label: t('≤ 50 ms'), colour: 4, of: within(50e6) },
] as const

/** The share of a column within an edge; null without operations. */
function within(edgeNs: number) {
  return ({ totals }: Column): number | null => (totals && shareWithin(totals, edgeNs)) ?? null
}

const countOf = ({ totals }: Column): number | null => totals?.n ?? null

const axes: Readonly<Record<ShareScale, YAxis>> = {
  '90': { scale: 'linear', format: 'share', from: 0.9, to: 1 },
  '0': { scale: 'linear', format: 'share', from: 0, to: 1 },
  nines: { scale: 'nines', format: 'share' },
}

const TARGET_SHARE = 0.99

interface Props {
  view: LiveView
  scale: ShareScale
  onScale: (scale: ShareScale) => void
}

/** Share of operations within the targets, from exact counters. */
export const SharePane = memo(function SharePane({ view, scale, onScale }: Props) {
  const source = useMemo(() => liveSource(view, (shown) => shareSpec(shown, scale)), [view, scale])
  return (
    <ChartCard
      title={t('Within target')}
      aside={<WholeShare view={view} />}
      controls={<Segmented label={t('Scale')} value={scale} choices={scales} onChange={onScale} />}
      spec={source}
      describe={() => describe(view)}
      newestFirst
      events={false}
      loading={!useLoaded(view.feed)}
    />
  )
})

function shareSpec(view: LiveView, scale: ShareScale): ChartSpec {
  return {
    x: timeOf(view),
    y: axes[scale],
    series: edges.map(({ label, colour, of }) => ({
      id: label,
      name: label,
      colour,
      values: view.each(of),
    })),
    facts: [{ name: 'n', format: 'count', values: view.each(countOf) }],
    targets: [{ name: 'target', at: TARGET_SHARE }],
  }
}

/** The share of the whole window against the target. */
function WholeShare({ view }: { view: LiveView }) {
  const isKnown = useFeedValue(view.feed, () => wholeShare(view) !== undefined)
  const figure = useWritten<HTMLElement>(view.feed, (element) => {
    const whole = wholeShare(view)
    if (whole === undefined) return
    writeText(element, share(whole))
    writeClass(element, whole >= TARGET_SHARE ? 'good' : 'bad')
  })
  if (!isKnown) return t('no operations yet')
  return (
    <span className="in-place">
      <Say text="≤ 1 ms: {strong} · target 99%" values={{ strong: <strong ref={figure} /> }} />
    </span>
  )
}

const wholeShare = ({ whole }: LiveView): number | undefined => shareWithin(whole.totals, 1e6)

function describe(view: LiveView): string {
  const whole = wholeShare(view)
  return whole === undefined
    ? t('Share within target: no operations in this window')
    : t('Share of operations within 1 ms in this window: {whole}', { whole: share(whole) })
}
