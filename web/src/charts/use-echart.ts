import { useEffect, useRef, type RefObject } from 'react'
import { init, type ChartOption, type ECharts } from './echarts'

/** Draws an option into a div: one instance a mount, resized with its host, disposed on unmount. */
export function useEChart(option: ChartOption): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<ECharts | null>(null)

  useEffect(() => {
    if (host.current === null) return
    const instance = init(host.current, undefined, { renderer: 'canvas' })
    chart.current = instance
    const observer = new ResizeObserver(() => instance.resize())
    observer.observe(host.current)
    return () => {
      observer.disconnect()
      chart.current = null
      instance.dispose()
    }
  }, [])

  // After the effect above, so that a new instance gets the option too.
  useEffect(() => {
    chart.current?.setOption(option, { notMerge: false, replaceMerge: ['series', 'yAxis'], lazyUpdate: true })
  }, [option])

  return host
}
