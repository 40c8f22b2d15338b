import { memo, useMemo } from 'react'
import { ChartCard } from '../../charts/card/ChartCard'
import type { ChartSpec, Series } from '../../charts/spec/spec'
import { rate } from '../../format'
import type { Column } from '../../live/buffer'
import type { Totals } from '../../live/latency/totals'
import { useLoaded } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { EventKinds } from '../../charts/events/EventKinds'
import { liveSource, timeOf } from './live-source'
import { t } from '../../language/text'

/** Operations per second by outcome, with the events below. */
export const LoadPane = memo(function LoadPane({ view }: { view: LiveView }) {
  const source = useMemo(() => liveSource(view, loadSpec), [view])
  return (
    <ChartCard
      title={t('Load')}
      aside={t('operations per second; events below')}
      spec={source}
      describe={(spec) => describe(view, spec)}
      newestFirst
      loading={!useLoaded(view.feed)}
    >
      <EventKinds />
    </ChartCard>
  )
})

function loadSpec(view: LiveView): ChartSpec {
  const series = (id: string, name: string, part: Pick<Series, 'colour' | 'look'>, of: typeof okOf): Series => ({
    id,
    name,
    ...part,
    values: view.each(of),
  })
  return {
    x: timeOf(view),
    y: { scale: 'linear', format: 'rate', least: 4 },
    series: [
      series('ok', t('ok'), { colour: 1, look: 'area' }, okOf),
      series('errors', t('errors'), { colour: 'bad' }, errorsOf),
    ],
  }
}

const okOf = (column: Column): number | null => perSecond(column, ({ n }) => n)
const errorsOf = (column: Column): number | null => perSecond(column, ({ errors }) => errors)

/** Operations per second of a column; null without a frame. */
function perSecond({ totals, durationMs }: Column, of: (totals: Totals) => number): number | null {
  return totals === undefined || durationMs === 0 ? null : of(totals) / (durationMs / 1000)
}

function describe({ columns }: LiveView, { marks = [] }: ChartSpec): string {
  const newest = columns.at(-2)
  const ok = newest && perSecond(newest, (totals) => totals.n)
  const words = ok === undefined || ok === null ? t('no data') : rate(ok)
  return t('Operations per second; newest: {words}; {marks, plural, one {# event} other {# events}} in this window', {
    words,
    marks: marks.length,
  })
}
