import type { ChartLink } from '../../../charts/card/link'
import type { ChartSource } from '../../../charts/card/source'
import type { Range } from '../../../charts/spec/spec'
import { curveOf, percentileSpec } from '../../../components/percentiles/percentile-spec'
import type { LiveView } from '../../../live/view'
import { t } from '../../../language/text'

/** The percentiles of the selection, or else of the window, as long as the feed has them. */
export function percentileSource(view: LiveView, link: ChartLink): ChartSource {
  const { feed, filter } = view
  let made: { version: number; selection: Range | undefined } | undefined
  let spec = percentileSpec([])
  return {
    subscribe: (listener) => {
      let { selection } = link.state
      const stopFeed = feed.subscribe(listener)
      const stopLink = link.subscribe(() => {
        if (selection === link.state.selection) return
        selection = link.state.selection
        listener()
      })
      return () => {
        stopFeed()
        stopLink()
      }
    },
    read: () => {
      const { selection } = link.state
      if (made?.version !== feed.version || made.selection !== selection) {
        made = { version: feed.version, selection }
        const { totals } = selection === undefined ? view.whole : feed.buffer.sum(selection.from, selection.to, filter)
        spec = percentileSpec([curveOf(t('selection'), 1, totals)])
      }
      return spec
    },
  }
}
