import type { ChartSource } from '../../charts/card/source'
import type { ChartSpec, XAxis } from '../../charts/spec/spec'
import type { Feed } from '../../live/feed'
import type { Column } from '../../live/buffer'
import type { LiveView } from '../../live/view'
import { isLong } from '../../live/window'

/** The charts of a view as sources: a frame makes each chart's data once, when it is drawn. */
export function liveSource<View extends { feed: Pick<Feed, 'subscribe' | 'version'> }>(
  view: View,
  specOf: (view: View) => ChartSpec,
): ChartSource {
  let made = -1
  let spec: ChartSpec | undefined
  return {
    subscribe: view.feed.subscribe,
    read: () => {
      if (spec === undefined || made !== view.feed.version) {
        made = view.feed.version
        spec = specOf(view)
      }
      return spec
    },
  }
}

/** How the times of a feed are written: with their day if the window is long. */
export const timeFormat = ({ stepMs }: { stepMs: number }): 'clock' | 'moment' => (isLong(stepMs) ? 'moment' : 'clock')

/** The time of a view, the same for all charts. */
export function timeOf(view: LiveView): XAxis {
  const { range, feed } = view
  const values = view.each(startOf)
  return { name: 'time', scale: 'time', format: timeFormat(feed), values, range, step: feed.stepMs }
}

const startOf = ({ start }: Column): number => start
