import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useFeedValue, version } from '../live/use-feed'
import type { LiveView } from '../live/view'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { Skeleton } from '../ui/Skeleton'
import type { Scene } from './painter'
import { useScene } from './use-scene'

interface Props {
  title: string
  aside?: ReactNode
  end?: ReactNode
  /** what the chart shows now, for those who cannot see it */
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
          <Button
            small
            look="quiet"
            aria-label={asTable ? `Show ${title} as chart` : `Show ${title} as table`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </>
      }
    >
      {!loaded ? (
        <Skeleton lines={1} height={height} />
      ) : asTable ? (
        <ChartTable view={view} describe={describe} {...table} />
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

/** The words for the picture, kept beside it and changed in place: a second of data is no reason to render anew. */
function Description({ view, describe }: Pick<Props, 'view' | 'describe'>) {
  const words = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const write = (): void => words.current?.setAttribute('aria-label', describe(view))
    write()
    return view.feed.subscribe(write)
  }, [view, describe])
  return <span ref={words} className="visually-hidden" role="img" />
}

function ChartTable({ view, describe, head, rows }: Pick<Props, 'view' | 'describe'> & Props['table']) {
  useFeedValue(view.feed, version)
  const caption = describe(view)
  return (
    <div className="chart-table" tabIndex={0} role="region" aria-label={caption}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" className={index === 0 ? undefined : 'right'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows().map((row) => (
            <tr key={row[0]}>
              {row.map((cell, index) => (
                <td key={index} className={index === 0 ? 'num' : 'right'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
