// What happy-dom lacks of a page that paints: sizes, and canvases. It keeps what was painted, and the texts beside it.
import { onTestFinished, vi } from 'vitest'

/** The colours of a chart in these tests. Each keeps its channels when it is mixed into the ground, which is black. */
const colours = {
  panel: '#000000',
  line: '#000000',
  ink: '#ffff00',
  'fill-accent': '#ff0000',
  'fill-warn': '#00ff00',
  'fill-bad': '#0000ff',
  'fill-none': '#00ffff',
} as const
type ColourName = keyof typeof colours

/** Red, green and blue of a colour, or of a little-endian RGBA word. */
const channelsOf = (colour: string): number[] => (colour.slice(1).match(/../g) ?? []).map((part) => parseInt(part, 16))
const channelsIn = (word: number): number[] => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255]

interface Size {
  width: number
  height: number
}

class Context {
  fillStyle = ''
  texts: string[] = []
  words = new Uint32Array()
  width = 1
  paintings = 0

  putImageData(image: ImageData): void {
    this.texts = []
    this.words = new Uint32Array(image.data.buffer.slice(0))
    this.width = image.width
    this.paintings++
  }

  fillText(text: string): void {
    this.texts.push(text)
  }

  fillRect(): void {}
  strokeRect(): void {}

  getImageData(): { data: Uint8ClampedArray } {
    return { data: Uint8ClampedArray.of(...channelsOf(this.fillStyle), 255) }
  }
}

/** A page of one canvas, until the test ends. */
export class Painted {
  readonly #context = new Context()
  readonly #views = new Set<(entries: { isIntersecting: boolean }[]) => void>()

  constructor({ width, height }: Size = { width: 372, height: 150 }, visible = true) {
    const views = this.#views
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width)
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height)
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(this.#context as never)
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(readonly told: (entries: { contentRect: Size }[]) => void) {}
        observe(): void {
          this.told([{ contentRect: { width, height } }])
        }
        disconnect(): void {}
      },
    )
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(readonly told: (entries: { isIntersecting: boolean }[]) => void) {}
        observe(): void {
          views.add(this.told)
          this.told([{ isIntersecting: visible }])
        }
        disconnect(): void {
          views.delete(this.told)
        }
      },
    )
    const { style, dataset } = document.documentElement
    for (const [name, colour] of Object.entries(colours)) style.setProperty(`--${name}`, colour)
    // A change of the theme is when charts read the colours.
    dataset['theme'] = 'dark'
    onTestFinished(() => {
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
      for (const name of Object.keys(colours)) style.removeProperty(`--${name}`)
      delete dataset['theme']
    })
  }

  /** The texts at the axes. */
  get texts(): readonly string[] {
    return this.#context.texts
  }

  get paintings(): number {
    return this.#context.paintings
  }

  /** The plot comes into view, or leaves it. */
  show(visible: boolean): void {
    for (const told of this.#views) told([{ isIntersecting: visible }])
  }

  /** For each of `parts` equal parts of the plot, from the left: whether it has a colour, perhaps thinned. */
  has(colour: ColourName, parts: number): boolean[] {
    const { words, width } = this.#context
    const wanted = channelsOf(colours[colour])
    const found = Array.from({ length: parts }, () => false)
    words.forEach((word, at) => {
      const same = channelsIn(word).every((channel, index) => (wanted[index] === 0 ? channel === 0 : channel >= 100))
      if (same) found[Math.floor(((at % width) / width) * parts)] = true
    })
    return found
  }
}
