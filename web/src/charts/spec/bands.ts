import type { CustomSeriesOption } from 'echarts/charts'
import type { ChartTheme } from '../theme'
import { gapsOf, idleOf } from './scale'
import type { ChartSpec } from './spec'
import { t } from '../../language/text'

/** A narrower band has no words, CSS pixels. */
const WORDS_PX = 70
/** A short span stays visible. */
const LEAST_PX = 2
const OPACITY = 0.55

/** Shaded spans, those without any value, and in words those in which there was nothing to measure. */
export function bandsOf(spec: ChartSpec, theme: ChartTheme, fontPx: number): CustomSeriesOption {
  const bands = [
    ...gapsOf(spec).map((range) => ({ ...range, kind: 'gap', words: t('no data') })),
    ...idleOf(spec).map((range) => ({ ...range, kind: 'idle', words: spec.idle ?? '' })),
    ...(spec.spans?.ranges ?? []).map((range) => ({ ...range, kind: 'span', words: '' })),
  ]
  return {
    silent: true,
    animation: false,
    id: 'bands',
    type: 'custom',
    z: 1,
    clip: true,
    data: bands.map(({ from, to }) => [from, to]),
    renderItem: ({ dataIndex, coordSys }, api) => {
      const { from = 0, to = 0, kind = 'gap', words = '' } = bands[dataIndex] ?? {}
      const { x, y, width: whole, height } = coordSys as unknown as Record<'x' | 'y' | 'width' | 'height', number>
      const within = (value: number): number => Math.max(x, Math.min(x + whole, api.coord([value, 0])[0] ?? x))
      const left = within(from)
      const width = Math.max(kind === 'span' ? LEAST_PX : 0, within(to) - left)
      const style =
        kind === 'span'
          ? { fill: theme.none, opacity: OPACITY }
          : { fill: kind === 'gap' ? theme.gap : 'transparent', opacity: 1 }
      const text = width > WORDS_PX ? words : ''
      return {
        type: 'rect',
        shape: { x: left, y, width, height },
        style,
        textContent: { type: 'text', style: { text, fill: theme.mute, font: `${fontPx}px ${theme.font}` } },
        // Targets are higher up, as a rule.
        textConfig: { position: 'insideBottom', distance: 12 },
      }
    },
  }
}
