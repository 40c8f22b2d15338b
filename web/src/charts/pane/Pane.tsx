import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useFeedValue, version } from '../../live/use-feed'
import type { LiveView } from '../../live/view'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { ChartTable } from '../ChartTable'
import type { Scene } from '../paint/painter'
import { TableToggle } from '../TableToggle'
import { useScene } from '../paint/use-scene'

interface Props {
  title: string
  aside?: ReactNode
  end?: ReactNode
  /** what the chart shows now, for screen readers */
  describe: (view: LiveView) => string
  height: number
  view: LiveView
  scene: Scene
  overlay?: ReactNode
  table: { head: string[]; rows: () => string[][] }
}

/** A chart in a card, with its overlay and a table of the same numbers. */
export function Pane({ title, aside, end, describe, height, view, scene, overlay, table }: Props) {
  const [asTable, setAsTable] = useState(false)
  const loaded = useFeedValue(view.feed, (feed) => feed.loaded)
  return (
    <Card
      title={title}
      aside={aside}
      end={
        <>
          {end}
          <TableToggle title={title} asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      {!loaded ? (
        <Skeleton lines={1} height={height} />
      ) : asTable ? (
        <LiveTable view={view} describe={describe} {...table} />
      ) : (
        <Chart view={view} describe={describe} height={height} scene={scene} overlay={overlay} />
      )}
    </Card>
  )
}

function Chart({
  view,
  describe,
  height,
  scene,
  overlay,
}: Pick<Props, 'view' | 'describe' | 'height' | 'scene' | 'overlay'>) {
  const canvas = useScene(scene, view.feed.subscribe)
  return (
    <div className="pane">
      <canvas ref={canvas} className="chart" style={{ height }} aria-hidden="true" />
      <Description view={view} describe={describe} />
      {overlay}
    </div>
  )
}

/** The description of the chart. It is updated in place, so that new data does not cause a render every second. */
function Description({ view, describe }: Pick<Props, 'view' | 'describe'>) {
  const words = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const write = (): void => words.current?.setAttribute('aria-label', describe(view))
    write()
    return view.feed.subscribe(write)
  }, [view, describe])
  return <span ref={words} className="visually-hidden" role="img" />
}

function LiveTable({ view, describe, head, rows }: Pick<Props, 'view' | 'describe'> & Props['table']) {
  useFeedValue(view.feed, version)
  return <ChartTable caption={describe(view)} head={head} rows={rows()} />
}
