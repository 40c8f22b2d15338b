// What happy-dom lacks of a page with charts: sizes, visibility, and canvases. It keeps what would be drawn.
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'
import type { Drawing } from '../../src/charts/render/protocol'
import { RendererContext, type OpenRenderer } from '../../src/charts/render/renderer'

type Told = (entries: unknown[]) => void

/** A page whose charts have one size, until the test ends. */
export class Staged {
  readonly drawings: Drawing[] = []
  readonly saved: string[] = []
  open = 0
  failure: Error | undefined
  readonly #views = new Set<Told>()

  constructor({ width, height } = { width: 674, height: 150 }, visible = true) {
    const views = this.#views
    const observer = (first: unknown, heard?: Set<Told>) =>
      class {
        constructor(readonly told: Told) {}
        observe(): void {
          heard?.add(this.told)
          this.told([first])
        }
        unobserve(): void {}
        disconnect(): void {
          heard?.delete(this.told)
        }
      }
    vi.stubGlobal('ResizeObserver', observer({ contentRect: { width, height } }))
    vi.stubGlobal('IntersectionObserver', observer({ isIntersecting: visible }, views))
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  get last(): Drawing | undefined {
    return this.drawings.at(-1)
  }

  /** The charts come into view, or leave it. */
  show(visible: boolean): void {
    for (const told of this.#views) told([{ isIntersecting: visible }])
  }

  readonly around = ({ children }: { children: ReactNode }) => (
    <RendererContext value={this.#opened}>{children}</RendererContext>
  )

  readonly #opened: OpenRenderer = () => {
    this.open++
    return {
      draw: (drawing) => void this.drawings.push(drawing),
      save: (_, title) => {
        this.saved.push(title)
        return this.failure === undefined ? Promise.resolve(new Blob(['png'])) : Promise.reject(this.failure)
      },
      close: () => void this.open--,
    }
  }
}
