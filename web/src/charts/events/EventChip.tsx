import { Link } from '@tanstack/react-router'
import { memo, type HTMLAttributes, type ReactElement } from 'react'
import { useMay } from '../../api/use-may'
import { clock, dateTime } from '../../format'
import { t } from '../../language/text'
import type { Mark } from '../../live/frame'
import { Tip } from '../../ui/Tip'
import type { ChartLink } from '../card/link'
import type { ChartSource } from '../card/source'
import { xOfTime } from '../spec/scale'

interface Props {
  /** oldest first */
  marks: readonly Mark[]
  source: ChartSource
  link: ChartLink
}

/** A chip leads to its job, to the entry of the audit log, or to the alert. A group zooms in. */
export const EventChip = memo(
  function EventChip(props: Props) {
    const { marks, source, link } = props
    const mark = marks.at(-1)
    if (mark === undefined) return null
    if (marks.length > 1)
      return (
        <Tip text={titleOf(props)}>
          <button type="button" className="chip" onClick={() => zoomInto(link, source, marks)}>
            <b>{marks.length}</b>
            <span className="visually-hidden"> {t('events, newest:')}</span> {mark.text}
          </button>
        </Tip>
      )
    if (mark.jobId !== undefined)
      return (
        <Tip text={titleOf(props)}>
          <Link className="chip" to="/jobs" search={{ id: mark.jobId }}>
            {mark.text}
          </Link>
        </Tip>
      )
    if (mark.alertId !== undefined)
      return (
        <Tip text={titleOf(props)}>
          <Link className="chip" to="/alerts" search={{ event: mark.alertId }}>
            {mark.text}
          </Link>
        </Tip>
      )
    if (mark.kind === 'config') return <ChangeChip {...props} mark={mark} />
    return <Tip text={titleOf(props)}>{placeChip(mark, props)}</Tip>
  },
  (a, b) =>
    a.link === b.link &&
    a.source === b.source &&
    a.marks.length === b.marks.length &&
    a.marks.every((mark, index) => mark === b.marks[index]),
)

/** A change. Who may read the audit log gets to its entry, others to its place on the chart. */
function ChangeChip({ mark, ...props }: Props & { mark: Mark }) {
  const may = useMay()
  const { timeMs, namespace, text } = mark
  return (
    <Tip text={titleOf(props)}>
      {may('listAudit') ? (
        <Link className="chip" to="/audit" search={{ at: timeMs, ns: namespace }}>
          {text}
        </Link>
      ) : (
        placeChip(mark, props)
      )}
    </Tip>
  )
}

/** A chip that leads to its place on the chart. */
const placeChip = ({ timeMs, text }: Mark, { source, link }: Props): ReactElement<HTMLAttributes<HTMLElement>> => (
  <button type="button" className="chip" onClick={() => link.hover(xOfTime(source.read().x, timeMs))}>
    {text}
  </button>
)

/** Each event with its time, one a line. */
function titleOf({ marks, source }: Props): string {
  const time = source.read().x.format === 'moment' ? dateTime : clock
  return marks.map(({ timeMs, text }) => `${time(timeMs)} ${text}`).join('\n')
}

/** Room at each side of a group that is zoomed into, as a share of its span. */
const MARGIN = 0.25

function zoomInto(link: ChartLink, source: ChartSource, marks: readonly Mark[]): void {
  const { x } = source.read()
  const [first = 0, last = 0] = [marks[0], marks.at(-1)].map((mark) => xOfTime(x, mark?.timeMs ?? 0))
  const least = 2 * (x.step ?? (x.scale === 'time' ? 1000 : 1))
  const margin = Math.max(least, (last - first) * MARGIN)
  link.zoomTo({ from: first - margin, to: last + margin })
}
