import { memo, useMemo } from 'react'
import { Pane } from '../../charts/pane/Pane'
import { PaneOverlay } from '../../charts/pane/PaneOverlay'
import { useChartTheme } from '../../charts/theme'
import { clock, rate } from '../../format'
import type { Column } from '../../live/buffer'
import type { LiveView } from '../../live/view'
import type { PaneProps } from './HeatPane'
import { loadScene, perSecond } from './load-scene'

/** Operations per second by outcome, with events as markers. */
export const LoadPane = memo(function LoadPane({ view, cursor }: PaneProps) {
  const colours = useChartTheme()
  const scene = useMemo(() => loadScene(view, colours), [view, colours])
  return (
    <Pane
      title="Load"
      aside="operations per second; markers are events"
      end={
        <span className="legend" aria-hidden="true">
          <span>
            <i className="line" style={{ background: colours.accent }} />
            ok
          </span>
          <span>
            <i className="line" style={{ background: colours.bad }} />
            errors
          </span>
        </span>
      }
      view={view}
      describe={describe}
      height={132}
      scene={scene}
      overlay={
        <PaneOverlay
          view={view}
          cursor={cursor}
          words
          tip={(time) => {
            const [at, ok, errors] = line(view.columnAt(time))
            return (
              <>
                <div>{at}</div>
                <dl>
                  <dt>ok</dt>
                  <dd>{ok}</dd>
                  <dt>errors</dt>
                  <dd>{errors}</dd>
                </dl>
              </>
            )
          }}
        />
      }
      table={{ head: ['time', 'ok', 'errors'], rows: () => view.columns.map(line).reverse() }}
    />
  )
})

function line(column: Column | undefined): [time: string, ok: string, errors: string] {
  if (column === undefined) return ['', 'no data', '']
  const ok = perSecond(column, (totals) => totals.n)
  const errors = perSecond(column, (totals) => totals.errors)
  return [clock(column.start), ok === undefined ? 'no data' : rate(ok), errors === undefined ? '' : rate(errors)]
}

function describe({ columns, marks }: LiveView): string {
  return `Operations per second; newest: ${line(columns.at(-2))[1]}; ${marks.length} events in this window`
}
