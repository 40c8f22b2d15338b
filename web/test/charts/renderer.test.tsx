import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Answer, Drawing, Order } from '../../src/charts/render/protocol'

const painted = vi.fn<(drawing: Drawing) => void>()

/** A worker that hears orders, and answers when the test says so. */
class FakeWorker extends EventTarget {
  static made: FakeWorker[] = []
  readonly orders: Order[] = []

  constructor() {
    super()
    FakeWorker.made.push(this)
  }

  postMessage(order: Order): void {
    this.orders.push(order)
  }

  answer(data: Answer): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

const drawing = (width: number): Drawing => ({ width, theme: { paper: false, dark: true } }) as Drawing

beforeEach(() => {
  vi.resetModules()
  vi.doMock('../../src/charts/render/painter', () => ({
    Painter: class {
      draw = painted
      dispose = (): void => undefined
    },
  }))
  painted.mockClear()
  FakeWorker.made = []
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('OffscreenCanvas', vi.fn<() => void>())
  const canvas = HTMLCanvasElement.prototype as { transferControlToOffscreen?: () => object }
  canvas.transferControlToOffscreen = () => ({})
  onTestFinished(() => {
    delete canvas.transferControlToOffscreen
    vi.unstubAllGlobals()
    vi.doUnmock('../../src/charts/render/painter')
    vi.resetModules()
  })
})

async function open(host = document.createElement('div')) {
  const { openRenderer } = await import('../../src/charts/render/renderer')
  return { host, renderer: openRenderer(host) }
}
const worker = (): FakeWorker => FakeWorker.made[0] as FakeWorker
const drawn = (): number[] => worker().orders.flatMap((order) => (order.type === 'draw' ? [order.drawing.width] : []))

test('all charts share one worker, and each has its own canvas', async () => {
  const [one, other] = [await open(), await open()]
  expect([FakeWorker.made.length, worker().orders.map(({ type, chart }) => `${type} ${chart}`)]).toEqual([
    1,
    ['open 1', 'open 2'],
  ])
  expect([one, other].map(({ host }) => host.querySelectorAll('canvas').length)).toEqual([1, 1])
  one.renderer.close()
  expect([worker().orders.at(-1), one.host.childElementCount]).toEqual([{ type: 'close', chart: 1 }, 0])
})

test('a chart that is still drawn when new data comes skips to the newest', async () => {
  const { renderer, host } = await open()
  for (const width of [1, 2, 3]) renderer.draw(drawing(width))
  expect(drawn()).toEqual([1])
  worker().answer({ type: 'drawn', chart: 1 })
  expect([drawn(), host.querySelector('canvas')?.dataset['drawn']]).toEqual([[1, 3], 'dark'])
  worker().answer({ type: 'drawn', chart: 1 })
  expect(drawn()).toEqual([1, 3])
})

test('a picture that fails says why', async () => {
  const { renderer } = await open()
  const saved = renderer.save(drawing(1), 'Load')
  worker().answer({ type: 'failed', chart: 1, of: 'save', message: 'the image is too large' })
  await expect(saved).rejects.toThrow('the image is too large')
})

test('if the worker cannot start, the page draws the newest on another canvas, and later charts too', async () => {
  const { renderer, host } = await open()
  const first = host.querySelector('canvas')
  renderer.draw(drawing(1))
  renderer.draw(drawing(2))
  worker().dispatchEvent(new Event('error'))
  await vi.waitFor(() => expect(painted).toHaveBeenCalledWith(drawing(2)))
  expect(host.querySelector('canvas')).not.toBe(first)
  const next = await open()
  next.renderer.draw(drawing(7))
  await vi.waitFor(() => expect(painted).toHaveBeenLastCalledWith(drawing(7)))
  expect(FakeWorker.made).toHaveLength(1)
})

test('without canvases for workers the page draws', async () => {
  vi.stubGlobal('OffscreenCanvas', undefined)
  const { renderer } = await open()
  renderer.draw(drawing(5))
  await vi.waitFor(() => expect(painted).toHaveBeenCalledWith(drawing(5)))
  expect(FakeWorker.made).toEqual([])
})
