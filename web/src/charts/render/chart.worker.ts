import { unpack } from './packed'
import { Painter } from './painter'
import { pictureOf } from './picture'
import type { Answer, Order } from './protocol'

/** Draws all charts of the page, so that its main thread only copies their data. */
const painters = new Map<number, Painter>()

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker posts to its page alone
const answer = (answers: Answer[]): void => self.postMessage(answers)

self.addEventListener('message', ({ data }: MessageEvent<Order[]>) => {
  const answers = data.flatMap(obey)
  if (answers.length > 0) answer(answers)
})

/** Answers what is done at once. */
function obey(order: Order): Answer[] {
  const { chart } = order
  try {
    if (order.type === 'open') painters.set(chart, new Painter(order.canvas))
    else if (order.type === 'draw') {
      painters.get(chart)?.draw(unpack(order.drawing))
      return [{ type: 'drawn', chart }]
    } else if (order.type === 'save') void save(order)
    else {
      painters.get(chart)?.dispose()
      painters.delete(chart)
    }
  } catch (error) {
    return [failed(chart, 'draw', error)]
  }
  return []
}

async function save({ chart, drawing, title }: Order & { type: 'save' }): Promise<void> {
  try {
    const picture = await pictureOf(unpack(drawing), title, () => new OffscreenCanvas(1, 1))
    answer([{ type: 'saved', chart, picture }])
  } catch (error) {
    answer([failed(chart, 'save', error)])
  }
}

function failed(chart: number, of: 'draw' | 'save', error: unknown): Answer {
  return { type: 'failed', chart, of, message: error instanceof Error ? error.message : String(error) }
}
