import { use, useMemo } from 'react'
import { eventLog } from '../../live/event-log'
import type { ChartSource } from '../card/source'
import { fullRange, timesOf, xOfTime } from '../spec/scale'
import type { ChartSpec, Mark } from '../spec/spec'
import { EventScope } from './scope'

/** Whether a chart shows when something happened. */
export const showsTime = ({ x }: ChartSpec): boolean => x.scale === 'time' || x.originMs !== undefined

/** A chart over time with a line at each event. */
class EventedSource implements ChartSource {
  #of: ChartSpec | undefined
  #version = -1
  #made: ChartSpec | undefined

  constructor(
    private readonly inner: ChartSource,
    private readonly namespace: string | undefined,
  ) {}

  readonly read = (): ChartSpec => {
    const spec = this.inner.read()
    if (this.#made === undefined || spec !== this.#of || eventLog.version !== this.#version) {
      this.#of = spec
      this.#version = eventLog.version
      this.#made = withEvents(spec, this.namespace)
    }
    return this.#made
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const stops = [this.inner.subscribe(listener), eventLog.subscribe(listener)]
    return () => stops.forEach((stop) => stop())
  }
}

function withEvents(spec: ChartSpec, namespace: string | undefined): ChartSpec {
  const span = timesOf(spec.x, fullRange(spec.x))
  const events = span === undefined ? [] : eventLog.within(span, namespace)
  if (events.length === 0) return spec
  const marks = events.flatMap(({ timeMs, text }): Mark[] => {
    const at = xOfTime(spec.x, timeMs)
    return at === undefined ? [] : [{ at, name: text }]
  })
  return { ...spec, marks: [...(spec.marks ?? []), ...marks] }
}

/** A source with the events of its page. */
export function useEvented(source: ChartSource): ChartSource {
  const namespace = use(EventScope)
  return useMemo(() => new EventedSource(source, namespace), [source, namespace])
}
