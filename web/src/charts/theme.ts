import { useSyncExternalStore } from 'react'
import { colours, lookOf } from './spec/palette'
import type { SeriesColour } from './spec/spec'

/** Colours of the charts as plain data, because neither a canvas nor a worker can read CSS variables. */
export interface ChartTheme {
  dark: boolean
  /** whether the reader prefers more contrast */
  contrast: boolean
  ink: string
  mute: string
  line: string
  strong: string
  panel: string
  accent: string
  good: string
  warn: string
  bad: string
  violet: string
  none: string
  gap: string
  /** the edge of lines over a heatmap */
  edge: string
  series: Readonly<Record<SeriesColour, string>>
  font: string
  mono: string
}

const MORE_CONTRAST = '(prefers-contrast: more)'
const PRINT = 'print'

function read(): ChartTheme {
  const style = getComputedStyle(document.documentElement)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  const series = Object.fromEntries(colours.map((colour) => [colour, value(lookOf(colour).variable)]))
  return {
    dark: document.documentElement.dataset['theme'] === 'dark',
    contrast: matchMedia(MORE_CONTRAST).matches,
    ink: value('--ink'),
    mute: value('--mute'),
    line: value('--line'),
    strong: value('--line-strong'),
    panel: value('--panel'),
    accent: value('--fill-accent'),
    good: value('--fill-good'),
    warn: value('--fill-warn'),
    bad: value('--fill-bad'),
    violet: value('--fill-violet'),
    none: value('--fill-none'),
    gap: value('--hover'),
    edge: value('--heat-edge'),
    series: series as Record<SeriesColour, string>,
    font: value('--sans'),
    mono: value('--mono'),
  }
}

let current: ChartTheme | undefined

/** Tells of another theme, of a wish for contrast, and of paper: all change the variables. */
function subscribe(listener: () => void): () => void {
  const changed = (): void => {
    current = read()
    listener()
  }
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const media = [MORE_CONTRAST, PRINT].map((query) => matchMedia(query))
  for (const one of media) one.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    for (const one of media) one.removeEventListener('change', changed)
  }
}

function snapshot(): ChartTheme {
  if (current === undefined || current.dark !== (document.documentElement.dataset['theme'] === 'dark')) current = read()
  return current
}

export function useChartTheme(): ChartTheme {
  return useSyncExternalStore(subscribe, snapshot)
}
