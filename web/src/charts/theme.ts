import { useSyncExternalStore } from 'react'
import { isPaper, onPaper } from './paper'
import { colours, lookOf } from './spec/palette'
import type { SeriesColour } from './spec/spec'

/** Colours of the charts as plain data, because neither a canvas nor a worker can read CSS variables. */
export interface ChartTheme {
  dark: boolean
  /** whether it is for paper */
  paper: boolean
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
  /** where a map or a bar has nothing */
  track: string
  gap: string
  /** the edge of lines over a heatmap */
  edge: string
  series: Readonly<Record<SeriesColour, string>>
  font: string
  mono: string
}

const MORE_CONTRAST = '(prefers-contrast: more)'
const FORCED = '(forced-colors: active)'
/** Forced colours may follow the system where the console's own theme does not. */
const DARK = '(prefers-color-scheme: dark)'

const isDark = (): boolean => document.documentElement.dataset['theme'] === 'dark' && !isPaper()

function read(): ChartTheme {
  const style = getComputedStyle(document.documentElement)
  const isForced = matchMedia(FORCED).matches
  const value = (name: string): string => {
    const text = style.getPropertyValue(name).trim()
    return isForced && /^([A-Z]\w+$|color-mix)/.test(text) ? systemColour(text) : text
  }
  const series = Object.fromEntries(colours.map((colour) => [colour, value(lookOf(colour).variable)]))
  return {
    dark: isDark(),
    paper: isPaper(),
    contrast: isForced || matchMedia(MORE_CONTRAST).matches,
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
    track: value('--track'),
    gap: value('--hover'),
    edge: value('--heat-edge'),
    series: series as Record<SeriesColour, string>,
    font: value('--sans'),
    mono: value('--mono'),
  }
}

/** A colour of the reader's system, such as `CanvasText`, as a canvas and a worker understand it. */
function systemColour(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = name
  probe.style.forcedColorAdjust = 'none'
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

let current: ChartTheme | undefined

/** Tells of another theme, of a wish for contrast, of forced colours, and of paper: all change the variables. */
function subscribe(listener: () => void): () => void {
  const changed = (): void => {
    current = read()
    listener()
  }
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const media = [MORE_CONTRAST, FORCED, DARK].map((query) => matchMedia(query))
  for (const one of media) one.addEventListener('change', changed)
  const offPaper = onPaper(changed)
  return () => {
    observer.disconnect()
    offPaper()
    for (const one of media) one.removeEventListener('change', changed)
  }
}

function snapshot(): ChartTheme {
  if (current === undefined || current.dark !== isDark() || current.paper !== isPaper()) current = read()
  return current
}

export function useChartTheme(): ChartTheme {
  return useSyncExternalStore(subscribe, snapshot)
}
