import { act, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ChartLink } from '../../src/charts/card/link'
import { PercentileCard } from '../../src/components/percentiles/PercentileCard'
import { curveOf, percentileSpec } from '../../src/components/percentiles/percentile-spec'
import { LiveFeed } from '../../src/live/feed'
import { emptyTotals } from '../../src/live/latency/totals'
import { LiveView } from '../../src/live/view'
import { percentileSource } from '../../src/pages/live/compare/percentile-source'
import { frameOf, seriesOf } from '../frames'
import { Staged } from './stage'

/** What the card has beside its title. */
const parts = () => ({
  empty: screen.queryByText('No operations')?.tagName,
  picture: screen.queryByRole('slider')?.tagName,
  table: screen.queryByRole('button', { name: 'Show Percentiles as table' })?.tagName,
})
const nothing = { empty: 'STRONG', picture: undefined, table: undefined }
const chart = { empty: undefined, picture: 'DIV', table: 'BUTTON' }

test.each([
  ['no curve', percentileSpec([])],
  ['a curve of no operations', percentileSpec([curveOf('selection', 1, emptyTotals())])],
])('percentiles of %s are an empty state in place of a chart', (_, spec) => {
  const { around, drawings } = new Staged()
  render(<PercentileCard spec={spec} />, { wrapper: around })
  expect(parts()).toEqual(nothing)
  expect(drawings).toEqual([])
})

test('the first operation brings the chart, and while it loads it is not called empty', async () => {
  const { around } = new Staged()
  const feed = new LiveFeed(60_000, 1000)
  const source = percentileSource(new LiveView(feed, { side: 'engine' }), new ChartLink(true))
  const { rerender } = render(<PercentileCard spec={source} loading />, { wrapper: around })
  expect(parts().empty).toBeUndefined()
  rerender(<PercentileCard spec={source} />)
  expect(parts()).toEqual(nothing)
  await act(async () => {
    const told = new Promise<void>((resolve) => void feed.subscribe(resolve))
    feed.pause(true)
    feed.buffer.add(frameOf(Math.floor(Date.now() / 1000) * 1000, [seriesOf([1000, 2000])]))
    feed.pause(false)
    await told
  })
  expect(parts()).toEqual(chart)
})
