import { chosen } from '../../language/chosen'
import { pack } from './packed'
import { markDrawn, type Answer, type Drawing, type Order, type Renderer } from './protocol'

/** Hears the answers for one chart. */
interface Listener {
  hear: (answer: Answer) => void
  /** the worker cannot run */
  broken: () => void
}

let worker: Worker | undefined
let isBroken = false
let charts = 0
const listeners = new Map<number, Listener>()

/** Whether charts can be drawn beside the page. */
export function canUseWorker(): boolean {
  return (
    !isBroken &&
    typeof Worker !== 'undefined' &&
    typeof OffscreenCanvas !== 'undefined' &&
    'transferControlToOffscreen' in HTMLCanvasElement.prototype
  )
}

/** The one worker of the page. It stays, because it holds the code of all charts. */
function theWorker(): Worker {
  if (worker !== undefined) return worker
  worker = new Worker(new URL('./chart.worker.ts', import.meta.url), {
    type: 'module',
    name: `charts ${chosen}`,
  })
  worker.addEventListener('message', ({ data }: MessageEvent<Answer[]>) => {
    for (const answer of data) listeners.get(answer.chart)?.hear(answer)
  })
  worker.addEventListener('error', () => {
    isBroken = true
    for (const { broken } of listeners.values()) broken()
  })
  return worker
}

let orders: Order[] = []
let moved: Transferable[] = []

/** The orders of one moment are one message: a frame changes all charts at once, and a message costs more than its bytes. */
function send(order: Order, ...parts: Transferable[]): void {
  if (orders.length === 0) queueMicrotask(flush)
  orders.push(order)
  moved.push(...parts)
}

function flush(): void {
  const [told, given] = [orders, moved]
  orders = []
  moved = []
  theWorker().postMessage(told, given)
}

/** Draws a canvas in the worker. `broken` is called if that turns out to be impossible. */
export function workerRenderer(canvas: HTMLCanvasElement, broken: () => void): Renderer {
  const chart = ++charts
  let busy: Drawing | undefined
  let waiting: Drawing | undefined
  let saving: { resolve: (picture: Blob) => void; reject: (reason: Error) => void } | undefined
  const offscreen = canvas.transferControlToOffscreen()
  send({ type: 'open', chart, canvas: offscreen }, offscreen)

  const draw = (drawing: Drawing): void => {
    waiting = busy === undefined ? undefined : drawing
    if (busy !== undefined) return
    busy = drawing
    send({ type: 'draw', chart, drawing: pack(drawing) })
  }
  const drawn = (): void => {
    busy = undefined
    if (waiting !== undefined) draw(waiting)
  }
  listeners.set(chart, {
    broken,
    hear: (answer) => {
      if (answer.type === 'drawn') {
        if (busy !== undefined) markDrawn(canvas, busy)
        drawn()
      } else if (answer.type === 'saved') saving?.resolve(answer.picture)
      else if (answer.of === 'save') saving?.reject(new Error(answer.message))
      else {
        reportError(new Error(answer.message))
        drawn()
      }
    },
  })
  return {
    draw,
    save: (drawing, title) =>
      new Promise((resolve, reject) => {
        saving = { resolve, reject }
        send({ type: 'save', chart, drawing: pack(drawing), title })
      }),
    close: () => {
      listeners.delete(chart)
      send({ type: 'close', chart })
    },
  }
}
