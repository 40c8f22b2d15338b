/**
 * Opaque pixels of a plot, painted in plain memory and copied to the canvas at once. 300 columns take a few tenths of a
 * millisecond; canvas paths without a GPU take ten times as long. Sizes are device pixels, colours little-endian RGBA words.
 */
export class Raster {
  readonly words: Uint32Array<ArrayBuffer>

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.words = new Uint32Array(width * height)
  }

  clear(colour: number): void {
    this.words.fill(colour)
  }

  /** Fills [left, right) x [top, bottom), which may lie partly outside. */
  rect(left: number, top: number, right: number, bottom: number, colour: number): void {
    const from = Math.max(0, left)
    const to = Math.min(this.width, right)
    const end = Math.min(this.height, bottom)
    for (let y = Math.max(0, top); y < end; y++) {
      const row = y * this.width
      for (let at = row + from; at < row + to; at++) this.words[at] = colour
    }
  }

  /** Mixes a colour into a pixel; ignores pixels outside. */
  mix(x: number, y: number, colour: number, alpha: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || alpha <= 0) return
    const at = y * this.width + x
    this.words[at] = mixed(this.words[at]!, colour, alpha)
  }

  /**
   * A smooth line through one height per column, at the middle of the columns; NaN breaks it. `thickness` in pixels.
   * A single column gets a dash of its width.
   */
  line(heights: Float64Array, thickness: number, colour: number, alpha = 1): void {
    this.along(heights, (x, before, after) => {
      // Use the height of the stroke within this pixel, so that a steep line is as thick as a level
      // one; do not extend peaks.
      const rise = Math.abs(after - before)
      const half = Math.min(thickness, (thickness * Math.sqrt(1 + rise * rise) - rise) / 2)
      const top = Math.min(before, after) - half
      const bottom = Math.max(before, after) + half
      const last = Math.ceil(bottom) - 1
      for (let y = Math.floor(top); y <= last; y++) {
        const covered = Math.min(y + 1, bottom) - Math.max(y, top)
        this.mix(x, y, colour, alpha * covered)
      }
    })
  }

  /** Fills the area under such a line. */
  area(heights: Float64Array, colour: number): void {
    this.along(heights, (x, before, after) =>
      this.rect(x, Math.round((before + after) / 2), x + 1, this.height, colour),
    )
  }

  /** Calls `visit` for each pixel column that a line covers, with its heights at both sides of that pixel. */
  private along(heights: Float64Array, visit: (x: number, before: number, after: number) => void): void {
    const step = this.width / heights.length
    for (let index = 0; index < heights.length; index++) {
      const here = heights[index]!
      if (Number.isNaN(here)) continue
      const next = heights[index + 1] ?? Number.NaN
      const middle = (index + 0.5) * step
      if (Number.isNaN(next)) {
        const alone = index === 0 || Number.isNaN(heights[index - 1]!)
        if (alone) for (let x = Math.floor(index * step); x < Math.ceil((index + 1) * step); x++) visit(x, here, here)
        continue
      }
      const last = Math.round((index + 1.5) * step)
      for (let x = Math.round(middle); x < last; x++) {
        const at = (place: number): number => here + (next - here) * Math.max(0, Math.min(1, (place - middle) / step))
        visit(x, at(x), at(x + 1))
      }
    }
  }

  /** A dashed level across the whole width. */
  dashes(y: number, length: number, colour: number, thickness: number): void {
    for (let x = 0; x < this.width; x += 2 * length) this.rect(x, y, x + length, y + thickness, colour)
  }
}

/** `alpha` of a colour over another; the result is opaque. */
export function mixed(below: number, colour: number, alpha: number): number {
  const part = Math.round(alpha * 256)
  const rest = 256 - part
  const blue = (((below >>> 16) & 255) * rest + ((colour >>> 16) & 255) * part) >>> 8
  const green = (((below >>> 8) & 255) * rest + ((colour >>> 8) & 255) * part) >>> 8
  const red = ((below & 255) * rest + (colour & 255) * part) >>> 8
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}
