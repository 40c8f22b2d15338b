import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLinked, type ChartLink } from '../../charts/card/link'
import { zoomToSelection } from '../../charts/card/use-pointer'
import type { Range } from '../../charts/spec/spec'
import { change, count, latency, rate, share, shortCount } from '../../format'
import { summarise, totalsOf, type SummaryLine } from '../../live/latency/summary'
import type { Part } from '../../live/latency/totals'
import { quantileWords } from '../../live/latency/words'
import { spanQuery } from '../../live/span'
import { useFeedValue } from '../../live/use-feed'
import { useWritten, writeAttribute, writeClass, writeText } from '../../live/use-written'
import type { LiveView } from '../../live/view'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { isHeld, spanBefore } from './compare/held'
import { spanWords } from './compare/other-span'
import { t } from '../../language/text'
import { figureNames } from '../../components/api-words'

interface Props {
  view: LiveView
  /** keeps the selected span; without one the whole window counts */
  link: ChartLink
  words: string
}

/** Figures of the selected span, or of the whole window, and their change from the equal span before it. */
export function SelectionTable({ view, link, words }: Props) {
  const selection = useLinked(link, (state) => state.selection)
  const isPast = useFeedValue(view.feed, () => selection !== undefined && !isHeld(view, selection))
  return (
    <Card
      title={t('Selection')}
      aside={selection !== undefined ? spanWords(selection) : t('last {words}', { words })}
      end={
        selection !== undefined && (
          <>
            <Button small look="quiet" onClick={() => zoomToSelection(link)}>
              {t('Zoom')}
            </Button>
            <Button small look="quiet" onClick={() => link.select(undefined)}>
              {t('Clear')}
            </Button>
          </>
        )
      }
    >
      {selection !== undefined && isPast ? (
        <PastFigures view={view} range={selection} />
      ) : (
        <Figures view={view} lines={() => heldLines(view, selection)} />
      )}
      <p className="mute small" style={{ marginTop: 8 }}>
        {t(
          'Drag on a chart to select a range. Changes compare with the equal span before it. Grey italics: too few samples.',
        )}
      </p>
    </Card>
  )
}

/** Undefined before the history has come: that is not nothing. */
function heldLines(view: LiveView, selection: Range | undefined): SummaryLine[] | undefined {
  if (!view.feed.loaded) return undefined
  const sum = ({ from, to }: Range): Part => view.feed.buffer.sum(from, to, view.filter)
  return summarise(selection === undefined ? view.whole : sum(selection), sum(spanBefore(selection ?? view.range)))
}

const NONE = totalsOf([])

/** The figures of a span that the feed does not have. */
function PastFigures({ view, range }: { view: LiveView; range: Range }) {
  const now = useQuery(spanQuery(range, view.filter))
  const before = useQuery(spanQuery(spanBefore(range), view.filter))
  const lines = useMemo(
    () =>
      now.data === undefined
        ? undefined
        : summarise(totalsOf(now.data), before.data === undefined ? NONE : totalsOf(before.data)),
    [now.data, before.data],
  )
  return (
    <>
      <Problem error={now.error ?? before.error} />
      <Figures view={view} lines={() => lines} />
    </>
  )
}

const NAMES = summarise(NONE, NONE).map(({ name }) => name)

function Figures({ view, lines }: { view: LiveView; lines: () => SummaryLine[] | undefined }) {
  const body = useWritten<HTMLTableSectionElement>(view.feed, (element) => {
    const known = lines()
    writeAttribute(element, 'aria-busy', String(known === undefined))
    NAMES.forEach((_, index) => writeLine(element.children[index], known?.[index]))
  })
  return (
    <table className="selection">
      <caption className="visually-hidden">
        {t('Figures of the selection, and their change from the equal span before it')}
      </caption>
      <tbody ref={body}>
        {NAMES.map((name) => (
          <tr key={name}>
            <th scope="row">{figureNames(name)}</th>
            <td>
              <span />
            </td>
            <td>
              <span />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function writeLine(row: Element | undefined, line: SummaryLine | undefined): void {
  if (!(row instanceof HTMLElement)) return
  const isThin = line?.thin === true
  writeClass(row, isThin ? 'thin' : '')
  const title = isThin ? t('Too few samples for this quantile: it needs 10/(1−q)') : ''
  if (row.title !== title) row.title = title
  const [, value, differs] = row.children
  writeText(value?.firstElementChild ?? undefined, line === undefined ? '–' : text(line))
  writeText(differs?.firstElementChild ?? undefined, line?.change === undefined || isThin ? '' : change(line.change))
}

function text({ kind, name, value }: SummaryLine): string {
  if (value === undefined) return '–'
  if (kind === 'time') return /^p\d/.test(name) ? quantileWords(value) : latency(value)
  if (kind === 'share') return share(value)
  if (kind === 'rate') return rate(value)
  return value < 1e6 ? count(value) : shortCount(value)
}
