import { Link } from '@tanstack/react-router'
import type { HTMLAttributes, MouseEvent } from 'react'
import { useMay } from '../../api/use-may'
import type { Mark } from '../../live/frame'
import type { ChartLink } from '../card/link'
import type { ChartSource } from '../card/source'
import { xOfTime } from '../spec/scale'

/** The chart that shows an event. */
export interface EventPlace {
  source: ChartSource
  link: ChartLink
}

type Others = HTMLAttributes<HTMLElement>

interface Props extends EventPlace, Others {
  mark: Mark
}

/** Whether an event is told elsewhere, too. */
export const leadsOn = ({ kind, jobId, alertId }: Mark): boolean =>
  kind === 'config' || jobId !== undefined || alertId !== undefined

/** Leads to the job of an event, to its entry in the audit log, or to its alert; without one, to its place on the chart. */
export function EventLink(props: Props) {
  const { source: _source, link: _link, mark, ...rest } = props
  if (mark.kind === 'config') return <ChangeLink {...props} />
  if (mark.jobId !== undefined) return <Link {...rest} to="/jobs" search={{ id: mark.jobId }} />
  if (mark.alertId !== undefined) return <Link {...rest} to="/alerts" search={{ event: mark.alertId }} />
  return <PlaceButton {...props} />
}

/** A change. Who may not read the audit log sees its place on the chart. */
function ChangeLink(props: Props) {
  const may = useMay()
  if (!may('listAudit')) return <PlaceButton {...props} />
  const { source: _source, link: _link, mark, ...rest } = props
  return <Link {...rest} to="/audit" search={{ at: mark.timeMs, ns: mark.namespace }} />
}

function PlaceButton({ source, link, mark, onClick, ...rest }: Props) {
  const show = (event: MouseEvent<HTMLElement>): void => {
    onClick?.(event)
    link.hover(xOfTime(source.read().x, mark.timeMs))
  }
  return <button {...rest} type="button" onClick={show} />
}
