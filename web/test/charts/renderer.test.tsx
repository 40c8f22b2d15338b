import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { pack, unpack } from '../../src/charts/render/packed'
import type { Answer, Drawing, Order } from '../../src/charts/render/protocol'

const painted = vi.fn<(drawing: Drawing) => void>()

/** A worker that hears orders, and answers when the test says so. */
class FakeWorker extends EventTarget {
  static made: FakeWorker[] = []
  readonly messages: Order[][] = []

  constructor() {
    super()
    FakeWorker.made.push(this)
  }

  get orders(): Order[] {
    return this.messages.flat()
  }

  postMessage(orders: Order[]): void {
    this.messages.push(orders)
  }

  answer(...data: Answer[]): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

const drawing = (width: number): Drawing =>
  ({ width, theme: { paper: false, dark: true }, spec: { series: [] } }) as unknown as Drawing

/** The orders of a moment are sent at its end. */
const sent = (): Promise<void> => Promise.resolve()

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
  await sent()
  expect([worker().orders.at(-1), one.host.childElementCount]).toEqual([{ type: 'close', chart: 1 }, 0])
})

test('a chart that is still drawn when new data comes skips to the newest', async () => {
  const { renderer, host } = await open()
  for (const width of [1, 2, 3]) renderer.draw(drawing(width))
  await sent()
  expect(drawn()).toEqual([1])
  worker().answer({ type: 'drawn', chart: 1 })
  await sent()
  expect([drawn(), host.querySelector('canvas')?.dataset['drawn']]).toEqual([[1, 3], 'dark'])
  worker().answer({ type: 'drawn', chart: 1 })
  await sent()
  expect(drawn()).toEqual([1, 3])
})

test('what is drawn at one moment is one message, whatever the number of charts', async () => {
  const charts = [await open(), await open(), await open()]
  for (const { renderer } of charts) renderer.draw(drawing(1))
  const before = worker().messages.length
  await sent()
  expect([worker().messages.length - before, drawn()]).toEqual([1, [1, 1, 1]])
  worker().answer({ type: 'drawn', chart: 1 }, { type: 'drawn', chart: 3 })
  expect(charts.map(({ host }) => host.querySelector('canvas')?.dataset['drawn'])).toEqual(['dark', undefined, 'dark'])
})

test('numbers and gaps are the same after they were sent', () => {
  const values = [0, null, 1.5, -2, null]
  const spec = { series: [{ id: 'a', name: 'A', values }], facts: [{ name: 'n', format: 'count', values }] }
  const whole = { ...drawing(1), spec } as unknown as Drawing
  expect(unpack(structuredClone(pack(whole)))).toEqual(whole)
})

test('a picture that fails says why', async () => {
  const { renderer } = await open()
  const saved = renderer.save(drawing(1), 'Load')
  await sent()
  worker().answer({ type: 'failed', chart: 1, of: 'save', message: 'the image is too large' })
  await expect(saved).rejects.toThrow('the image is too large')
})

test('if the worker cannot start, the page draws the newest on another canvas, and later charts too', async () => {
  const { renderer, host } = await open()
  const first = host.querySelector('canvas')
  renderer.draw(drawing(1))
  renderer.draw(drawing(2))
  await sent()
  worker().dispatchEvent(new Event('error'))
  await expect.poll(() => painted.mock.calls).toContainEqual([drawing(2)])
  expect(host.querySelector('canvas')).not.toBe(first)
  const next = await open()
  next.renderer.draw(drawing(7))
  await expect.poll(() => painted.mock.lastCall).toEqual([drawing(7)])
  expect(FakeWorker.made).toHaveLength(1)
})

test('without canvases for workers the page draws', async () => {
  vi.stubGlobal('OffscreenCanvas', undefined)
  const { renderer } = await open()
  renderer.draw(drawing(5))
  await expect.poll(() => painted.mock.calls).toContainEqual([drawing(5)])
  expect(FakeWorker.made).toEqual([])
})
