import { Painter } from './painter'
import { pictureOf } from './picture'
import type { Answer, Order } from './protocol'

/** Draws all charts of the page, so that its main thread only copies their data. */
const painters = new Map<number, Painter>()

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker posts to its page alone
const answer = (message: Answer): void => self.postMessage(message)

self.addEventListener('message', ({ data }: MessageEvent<Order>) => void obey(data))

async function obey(order: Order): Promise<void> {
  const { chart } = order
  try {
    if (order.type === 'open') painters.set(chart, new Painter(order.canvas))
    else if (order.type === 'draw') {
      painters.get(chart)?.draw(order.drawing)
      answer({ type: 'drawn', chart })
    } else if (order.type === 'save') {
      const picture = await pictureOf(order.drawing, order.title, () => new OffscreenCanvas(1, 1))
      answer({ type: 'saved', chart, picture })
    } else {
      painters.get(chart)?.dispose()
      painters.delete(chart)
    }
  } catch (error) {
    const of = order.type === 'save' ? 'save' : 'draw'
    answer({ type: 'failed', chart, of, message: error instanceof Error ? error.message : String(error) })
  }
}
