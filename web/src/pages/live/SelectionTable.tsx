import { useMemo } from 'react'
import { useLinked, type ChartLink } from '../../charts/card/link'
import { zoomToSelection } from '../../charts/card/use-pointer'
import { change, count, latency, rate, share, shortCount } from '../../format'
import { summarise, type SummaryLine } from '../../live/latency/summary'
import { quantileWords } from '../../live/latency/words'
import type { LiveView } from '../../live/view'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { spanWords } from './compare/other-span'
import { useSelected } from './compare/use-selected'

interface Props {
  view: LiveView
  /** keeps the selected span; without one the whole window counts */
  link: ChartLink
  words: string
}

/** Figures of the selected span, or of the whole window, and their change from the equal span before it. */
export function SelectionTable({ view, link, words }: Props) {
  const selection = useLinked(link, (state) => state.selection)
  const { range, columns, before, error } = useSelected(view, link)
  const lines = useMemo(() => summarise(columns, before), [columns, before])
  return (
    <Card
      title="Selection"
      aside={selection !== undefined ? spanWords(range) : `last ${words}`}
      end={
        selection !== undefined && (
          <>
            <Button small look="quiet" onClick={() => zoomToSelection(link)}>
              Zoom
            </Button>
            <Button small look="quiet" onClick={() => link.select(undefined)}>
              Clear
            </Button>
          </>
        )
      }
    >
      <Problem error={error} />
      <table className="selection">
        <caption className="visually-hidden">
          Figures of the selection, and their change from the equal span before it
        </caption>
        <tbody>
          {lines.map((line) => (
            <tr
              key={line.name}
              className={line.thin ? 'thin' : undefined}
              title={line.thin ? 'Too few samples for this quantile: it needs 10/(1−q)' : undefined}
            >
              <th scope="row">{line.name}</th>
              <td>{text(line)}</td>
              <td>{line.change === undefined || line.thin ? '' : change(line.change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mute small" style={{ marginTop: 8 }}>
        Drag on a chart to select a range. Changes compare with the equal span before it. Grey italics: too few samples.
      </p>
    </Card>
  )
}

function text({ kind, name, value }: SummaryLine): string {
  if (value === undefined) return '–'
  if (kind === 'time') return /^p\d/.test(name) ? quantileWords(value) : latency(value)
  if (kind === 'share') return share(value)
  if (kind === 'rate') return rate(value)
  return value < 1e6 ? count(value) : shortCount(value)
}
