import { memo, useMemo } from 'react'
import { Pane } from '../../charts/Pane'
import { PaneOverlay } from '../../charts/PaneOverlay'
import { useChartColours } from '../../charts/theme'
import { clock, share } from '../../format'
import { shareWithin } from '../../live/quantile'
import { totalsOf } from '../../live/summary'
import { Segmented } from '../../ui/Segmented'
import type { PaneProps } from './HeatPane'
import { SHARE_EDGES, shareColours, shareOption, TARGET_SHARE, type ShareScale } from './share-option'

const scales = [
  { value: '90', label: '90–100%' },
  { value: '0', label: '0–100%' },
  { value: 'nines', label: 'nines' },
] as const

/** Share of operations within the targets, from the exact counters at their edges. */
export const SharePane = memo(function SharePane({
  columns,
  range,
  stepMs,
  cursor,
  marks,
  scale,
  onScale,
}: PaneProps & { scale: ShareScale; onScale: (scale: ShareScale) => void }) {
  const colours = useChartColours()
  const option = useMemo(
    () => shareOption({ columns, range, scale, stepMs, colours }),
    [columns, range, scale, stepMs, colours],
  )
  const whole = useMemo(() => shareWithin(totalsOf(columns).totals, 1e6), [columns])
  const paint = shareColours(colours)
  const at = (time: number) => columns[Math.floor((time - columns[0]!.start) / stepMs)]?.totals
  return (
    <Pane
      title="Within target"
      aside={
        whole === undefined ? (
          'no operations yet'
        ) : (
          <>
            ≤ 1 ms: <strong className={whole >= TARGET_SHARE ? 'good' : 'bad'}>{share(whole)}</strong> · target 99%
          </>
        )
      }
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
      description={
        whole === undefined
          ? 'Share within target: no operations in this window'
          : `Share of operations within 1 ms in this window: ${share(whole)}`
      }
      height={132}
      option={option}
      overlay={
        <PaneOverlay
          range={range}
          stepMs={stepMs}
          cursor={cursor}
          marks={marks}
          tip={(time) => {
            const totals = at(time)
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
          columns
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
