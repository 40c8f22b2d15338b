import { useContext, useEffect, useRef, type Ref, useImperativeHandle } from 'react'
import { RendererContext } from '../render/renderer'
import type { View } from '../spec/scale'
import { useChartTheme } from '../theme'
import type { ChartSource } from './source'
import { Stage } from './stage'

export interface Saves {
  /** The chart as a PNG. */
  save: (title: string) => Promise<Blob>
}

interface Props {
  ref?: Ref<Saves>
  source: ChartSource
  view: View
}

/** The picture of a chart. New data draws without a render. */
export function ChartCanvas({ ref, source, view }: Props) {
  const open = useContext(RendererContext)
  const theme = useChartTheme()
  const host = useRef<HTMLDivElement>(null)
  const stage = useRef<Stage>(undefined)
  const shown = useRef({ source, view, theme })
  const saves = useRef<Saves['save']>(undefined)

  useEffect(() => {
    if (host.current === null) return
    const renderer = open(host.current)
    const made = new Stage(host.current, renderer, () => {
      const { source: from, ...rest } = shown.current
      return { spec: from.read(), view: rest.view, theme: rest.theme }
    })
    stage.current = made
    saves.current = (title) =>
      made.drawing === undefined
        ? Promise.reject(new Error('the chart is not shown yet'))
        : renderer.save(made.drawing, title)
    return () => made.close()
  }, [open])

  // After the effect above, so that a new stage also draws.
  useEffect(() => {
    shown.current = { source, view, theme }
    stage.current?.draw()
    return source.subscribe(() => stage.current?.draw())
  }, [source, view, theme])

  useImperativeHandle(ref, () => ({
    save: (title) => saves.current?.(title) ?? Promise.reject(new Error('the chart is not shown yet')),
  }))
  return <div ref={host} className="canvas" />
}
