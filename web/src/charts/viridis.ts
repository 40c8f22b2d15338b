/** Viridis (matplotlib), interpolated between nine of its colours: perceptually even and colour-blind safe. */
const stops = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const

/** 256 colours as little-endian RGBA words, for ImageData. */
export const viridis: Uint32Array = Uint32Array.from({ length: 256 }, (_, index) => {
  const at = (index / 255) * (stops.length - 1)
  const low = stops[Math.min(stops.length - 2, Math.floor(at))]!
  const high = stops[Math.min(stops.length - 2, Math.floor(at)) + 1]!
  const part = at - Math.min(stops.length - 2, Math.floor(at))
  const mix = (channel: 0 | 1 | 2): number => Math.round(low[channel] + (high[channel] - low[channel]) * part)
  return ((255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0)) >>> 0
})

/** The same for CSS and canvases. */
export const viridisColours: readonly string[] = Array.from(
  viridis,
  (word) => `rgb(${word & 255} ${(word >>> 8) & 255} ${(word >>> 16) & 255})`,
)
