import { useSyncExternalStore } from 'react'

/** Colours of the charts. A canvas cannot read CSS variables, so they are resolved after each theme change. */
export interface ChartColours {
  dark: boolean
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
  mono: string
}

function read(): ChartColours {
  const style = getComputedStyle(document.documentElement)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  return {
    dark: document.documentElement.dataset['theme'] === 'dark',
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
    mono: value('--mono'),
  }
}

let current: ChartColours | undefined

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(() => {
    current = read()
    listener()
  })
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

function snapshot(): ChartColours {
  if (current === undefined || current.dark !== (document.documentElement.dataset['theme'] === 'dark')) current = read()
  return current
}

export function useChartColours(): ChartColours {
  return useSyncExternalStore(subscribe, snapshot)
}
