import { memo, useMemo } from 'react'
import { Pane } from '../../charts/Pane'
import { PaneOverlay } from '../../charts/PaneOverlay'
import { useChartColours } from '../../charts/theme'
import { clock, rate } from '../../format'
import type { PaneProps } from './HeatPane'
import { loadOption, perSecond } from './load-option'

/** Operations a second by outcome, with what happened beside them. */
export const LoadPane = memo(function LoadPane({ columns, range, stepMs, cursor, marks }: PaneProps) {
  const colours = useChartColours()
  const option = useMemo(() => loadOption(columns, range, stepMs, colours), [columns, range, stepMs, colours])
  const line = (index: number): string[] => {
    const column = columns[index]
    const ok = column && perSecond(column, (totals) => totals.n)
    const errors = column && perSecond(column, (totals) => totals.errors)
    return [clock(column?.start ?? range.to), ok == null ? 'no data' : rate(ok), errors == null ? '' : rate(errors)]
  }
  return (
    <Pane
      title="Load"
      aside="operations a second; marks are events"
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
      description={`Operations a second; newest: ${line(columns.length - 2)[1]}; ${marks.length} events in this window`}
      height={132}
      option={option}
      overlay={
        <PaneOverlay
          range={range}
          stepMs={stepMs}
          cursor={cursor}
          marks={marks}
          words
          tip={(time) => {
            const [at, ok, errors] = line(Math.floor((time - columns[0]!.start) / stepMs))
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
      table={{ head: ['time', 'ok', 'errors'], rows: () => columns.map((_, index) => line(index)).reverse() }}
    />
  )
})
