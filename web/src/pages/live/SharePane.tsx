import { memo, useMemo } from 'react'
import { Pane } from '../../charts/pane/Pane'
import { PaneOverlay } from '../../charts/pane/PaneOverlay'
import { useChartTheme } from '../../charts/theme'
import { clock, share } from '../../format'
import { sloIndex } from '../../live/latency/buckets'
import { shareWithin } from '../../live/latency/quantile'
import { useFeedValue, version } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { Segmented } from '../../ui/Segmented'
import type { PaneProps } from './HeatPane'
import { SHARE_EDGES, shareColours, shareScene, TARGET_SHARE, type ShareScale } from './share-scene'

const scales = [
  { value: '90', label: '90–100%' },
  { value: '0', label: '0–100%' },
  { value: 'nines', label: 'nines' },
] as const

const ONE_MS = sloIndex(1e6)

/** Share of operations within the targets, from exact counters. */
export const SharePane = memo(function SharePane({
  view,
  cursor,
  scale,
  onScale,
}: PaneProps & { scale: ShareScale; onScale: (scale: ShareScale) => void }) {
  const colours = useChartTheme()
  const scene = useMemo(() => shareScene(view, scale, colours), [view, scale, colours])
  const paint = shareColours(colours)
  return (
    <Pane
      title="Within target"
      aside={<WholeShare view={view} />}
      end={
        <>
          <span className="legend" aria-hidden="true">
            {SHARE_EDGES.map(({ label }, index) => (
              <span key={label}>
                <i style={{ background: paint[index] }} />
                {label}
              </span>
            ))}
          </span>
          <Segmented label="Scale" value={scale} choices={scales} onChange={onScale} />
        </>
      }
      view={view}
      describe={describe}
      height={132}
      scene={scene}
      overlay={
        <PaneOverlay
          view={view}
          cursor={cursor}
          tip={(time) => {
            const totals = view.columnAt(time)?.totals
            if (totals === undefined || totals.n === 0)
              return (
                <>
                  {clock(time)} · {totals === undefined ? 'no data arrived' : 'no operations'}
                </>
              )
            return (
              <>
                <div>{clock(time)}</div>
                <dl>
                  {SHARE_EDGES.map(({ label, edgeNs }) => (
                    <div key={label} style={{ display: 'contents' }}>
                      <dt>{label}</dt>
                      <dd>{share(shareWithin(totals, edgeNs) ?? 0)}</dd>
                    </div>
                  ))}
                </dl>
              </>
            )
          }}
        />
      }
      table={{
        head: ['time', ...SHARE_EDGES.map(({ label }) => label)],
        rows: () =>
          view.columns
            .map(({ start, totals }) => [
              clock(start),
              ...SHARE_EDGES.map(({ edgeNs }) => {
                const value = totals && shareWithin(totals, edgeNs)
                return value === undefined ? '–' : share(value)
              }),
            ])
            .reverse(),
      }}
    />
  )
})

/** The share of the whole window against the target. */
function WholeShare({ view }: { view: LiveView }) {
  useFeedValue(view.feed, version)
  const whole = wholeShare(view)
  if (whole === undefined) return 'no operations yet'
  return (
    <>
      ≤ 1 ms: <strong className={whole >= TARGET_SHARE ? 'good' : 'bad'}>{share(whole)}</strong> · target 99%
    </>
  )
}

function wholeShare(view: LiveView): number | undefined {
  let [n, within] = [0, 0]
  for (const { totals } of view.columns) {
    if (totals === undefined) continue
    n += totals.n
    within += totals.slo[ONE_MS] ?? 0
  }
  return n === 0 ? undefined : within / n
}

function describe(view: LiveView): string {
  const whole = wholeShare(view)
  return whole === undefined
    ? 'Share within target: no operations in this window'
    : `Share of operations within 1 ms in this window: ${share(whole)}`
}
