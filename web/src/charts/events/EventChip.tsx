import { memo } from 'react'
import { clock, dateTime } from '../../format'
import { t } from '../../language/text'
import type { Mark } from '../../live/frame'
import { Menu, type MenuAction } from '../../ui/Menu'
import { Tip } from '../../ui/Tip'
import { xOfTime } from '../spec/scale'
import { EventLink, type EventPlace, leadsOn } from './EventLink'

interface Props extends EventPlace {
  /** oldest first */
  marks: readonly Mark[]
}

/** Events of a group that its menu lists, the newest. */
const LISTED = 12

/** A chip leads to where its event is told. That of a group lists its events, and zooms in. */
export const EventChip = memo(
  function EventChip({ marks, source, link }: Props) {
    const mark = marks.at(-1)
    if (mark === undefined) return null
    const words = (one: Mark): string => `${timeIn(source)(one.timeMs)} ${one.text}`
    if (marks.length === 1)
      return (
        <Tip text={words(mark)}>
          <EventLink className="chip" mark={mark} source={source} link={link}>
            {mark.text}
          </EventLink>
        </Tip>
      )
    const actions: MenuAction[] = [
      { text: t('Zoom in'), act: () => zoomInto(source, link, marks) },
      ...marks
        .slice(-LISTED)
        .toReversed()
        .map((one): MenuAction => {
          const text = words(one)
          if (!leadsOn(one)) return { text, act: () => link.hover(xOfTime(source.read().x, one.timeMs)) }
          return { text, link: <EventLink mark={one} source={source} link={link} /> }
        }),
    ]
    return (
      <Menu
        apart
        actions={actions}
        button={
          <Tip text={marks.map(words).join('\n')}>
            <button type="button" className="chip">
              <b>{marks.length}</b>
              <span className="visually-hidden"> {t('events, newest:')}</span> {mark.text}
            </button>
          </Tip>
        }
      />
    )
  },
  (a, b) =>
    a.link === b.link &&
    a.source === b.source &&
    a.marks.length === b.marks.length &&
    a.marks.every((mark, index) => mark === b.marks[index]),
)

const timeIn = (source: EventPlace['source']) => (source.read().x.format === 'moment' ? dateTime : clock)

/** Room at each side of a group that is zoomed into, as a share of its span. */
const MARGIN = 0.25

function zoomInto(source: EventPlace['source'], link: EventPlace['link'], marks: readonly Mark[]): void {
  const { x } = source.read()
  const [first = 0, last = 0] = [marks[0], marks.at(-1)].map((mark) => xOfTime(x, mark?.timeMs ?? 0))
  const least = 2 * (x.step ?? (x.scale === 'time' ? 1000 : 1))
  const margin = Math.max(least, (last - first) * MARGIN)
  link.zoomTo({ from: first - margin, to: last + margin })
}
