// What a frame of live data costs the console's Live page: the built console in Chromium (software rendering), open on a
// gateway under a steady mixed load, its main thread traced for a minute. A frame lasts from the arrival of one server-sent
// event to the next, so that everything the page does in a second counts, timers included. In turn: a page without charts,
// Jobs while jobs end, Live with its charts out of view, with charts drawn in the page, and with charts drawn in a worker,
// as it is. Then, not traced, how long an event takes from its arrival until all charts in view have its pixels.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { option, underLoad, word } from './live-load.mjs'

const [width, height] = [1440, 900]
const SETTLE_MS = 5000
const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'blink.user_timing']

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {{ name: string, ph: string, pid: number, tid: number, ts: number, dur?: number, tdur?: number }} Event */

/** What a page finds changed before it loads. */
const variants = {
  without: { path: '/lab', prepare: () => undefined },
  jobs: { path: '/jobs', prepare: () => undefined },
  unseen: { path: '/live', prepare: hideCharts },
  inPage: { path: '/live', prepare: takeOffscreenCanvas },
  inWorker: { path: '/live', prepare: () => undefined },
}

/**
 * With `--page <path>` only that page and the one without charts are traced. `--engine <engine>` is that of the namespace
 * `events`, for pages of devices and of paged storage.
 *
 * @param {string} scratch
 * @param {string[]} options `--fill <seconds of load before>`, `--frames <n>`, `--page <path>`, `--engine <engine>`
 * @returns {Promise<Figures>}
 */
export async function livePage(scratch, options) {
  const fillSeconds = option(options, '--fill', 60)
  const frames = option(options, '--frames', 60)
  const path = word(options, '--page')
  const traced = path === undefined ? variants : { without: variants.without, page: { ...variants.inWorker, path } }
  return underLoad(
    scratch,
    async ({ gateway, browser }) => {
      const first = await browser.newPage()
      await first.goto(gateway.loginLink)
      await first.getByRole('heading', { level: 1 }).waitFor()
      const storageState = await first.context().storageState()
      await first.close()
      console.error(`${fillSeconds} s of load, so that the charts have columns`)
      await delay(fillSeconds * 1000)
      /** @type {Figures} */
      const all = {}
      /** @param {string} path @param {(() => void)[]} scripts */
      const open = async (path, scripts) => {
        const page = await browser.newPage({ viewport: { width, height }, storageState })
        for (const script of scripts) await page.addInitScript(script)
        await page.goto(`${gateway.url}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        // What a page does when it is opened is not what a frame costs.
        await delay(SETTLE_MS)
        return page
      }
      for (const [name, variant] of Object.entries(traced)) {
        console.error(`tracing ${frames} frames: ${name}`)
        const page = await open(variant.path, [markArrivals, variant.prepare])
        const trace = join(scratch, `${name}.json`)
        await browser.startTracing(page, { path: trace, categories })
        await delay((frames + 2) * 1000)
        await browser.stopTracing()
        await page.close()
        for (const [figure, value] of Object.entries(figures(JSON.parse(readFileSync(trace, 'utf8')).traceEvents)))
          all[name + figure] = value
      }
      if (path !== undefined) return all
      console.error(`waiting for the pixels of ${frames} frames`)
      const page = await open('/live', [watchPixels])
      await page.evaluate(() => {
        const { waits } = /** @type {any} */ (globalThis)
        waits.length = 0
      })
      await delay(frames * 1000)
      /** @type {number[]} */
      const waits = await page.evaluate(() => /** @type {any} */ (globalThis).waits)
      waits.sort((a, b) => a - b)
      return {
        ...all,
        pixelFrames: waits.length,
        eventToPixelP50Ms: quantile(waits, 0.5),
        eventToPixelP95Ms: quantile(waits, 0.95),
      }
    },
    word(options, '--engine'),
  )
}

/** Runs in the page: leaves a mark in the trace where a frame of live data arrives. */
function markArrivals() {
  const Source = globalThis.EventSource
  globalThis.EventSource = class extends Source {
    /** @param {string | URL} url */
    constructor(url) {
      super(url)
      this.addEventListener('frame', () => performance.mark('live-frame'))
    }
  }
}

/**
 * Runs in the page: keeps how long each event takes until the animation frame after the last chart said that it has drawn
 * the column of that event. A chart that skips a column has it with the next one.
 */
function watchPixels() {
  /** @type {number[]} */
  const waits = []
  /** @type {{ arrivedAt: number, end: number }[]} */
  const arrived = []
  /** The end of the newest column of the drawing under way, by chart. @type {Map<number, number>} */
  const underWay = new Map()
  Object.assign(globalThis, { waits })
  const Source = globalThis.EventSource
  globalThis.EventSource = class extends Source {
    /** @param {string | URL} url */
    constructor(url) {
      super(url)
      this.addEventListener('frame', ({ data }) => {
        const end = Math.floor((Date.parse(JSON.parse(data).time) + 500) / 1000) * 1000
        arrived.push({ arrivedAt: performance.now(), end })
      })
    }
  }
  /** @param {number} drawnTo */
  const settle = (drawnTo) => {
    const isDrawn = (/** @type {number} */ end) => end <= drawnTo && [...underWay.values()].every((to) => to > end)
    while (arrived[0] !== undefined && isDrawn(arrived[0].end))
      waits.push(performance.now() - (arrived.shift()?.arrivedAt ?? 0))
  }
  const Thread = globalThis.Worker
  globalThis.Worker = class extends Thread {
    /** @param {string | URL} url @param {WorkerOptions} [options] */
    constructor(url, options) {
      super(url, options)
      this.addEventListener('message', ({ data: answers }) => {
        let drawnTo = 0
        for (const { type, chart } of answers) {
          if (type === 'drawn') drawnTo = Math.max(drawnTo, underWay.get(chart) ?? 0)
          underWay.delete(chart)
        }
        if (drawnTo > 0) requestAnimationFrame(() => settle(drawnTo))
      })
    }

    /** @override @param {any} orders @param {any} moved */
    postMessage(orders, moved) {
      for (const { type, chart, drawing } of orders)
        if (type === 'draw' && drawing.spec.x.scale === 'time') underWay.set(chart, drawing.spec.x.range.to)
      super.postMessage(orders, moved)
    }
  }
}

/** Runs in the page: no element ever comes into view, so no chart is drawn for new data. */
function hideCharts() {
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    /** @override */
    observe() {}
  }
}

/** Runs in the page: charts are drawn in it, as in a browser that cannot give a canvas away. */
function takeOffscreenCanvas() {
  Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen')
}

const scriptEvents = new Set([
  'FunctionCall',
  'EventDispatch',
  'TimerFire',
  'FireAnimationFrame',
  'FireIdleCallback',
  'BlinkScheduler_PerformMicrotaskCheckpoint',
  'EvaluateScript',
])

/** @param {Event[]} events @returns {Figures} */
function figures(events) {
  const arrivals = events.filter(({ name }) => name === 'live-frame')
  const { pid, tid } = arrivals[0] ?? { pid: -1, tid: -1 }
  const main = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X')
  const starts = arrivals.map(({ ts }) => ts).sort((a, b) => a - b)
  const spent = (/** @type {(name: string) => boolean} */ counts) => {
    const perFrame = starts.slice(1).map(() => 0)
    let covered = 0
    for (const { name, ts, dur = 0, tdur = dur } of main.toSorted(
      (a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0),
    )) {
      if (!counts(name) || ts < covered) continue
      covered = ts + dur
      const frame = starts.findLastIndex((start) => start <= ts + dur)
      if (frame >= 0 && frame < perFrame.length) perFrame[frame] = (perFrame[frame] ?? 0) + tdur / 1000
    }
    return perFrame.sort((a, b) => a - b)
  }
  const script = spent((name) => scriptEvents.has(name))
  const all = spent((name) => name === 'ThreadControllerImpl::RunTask')
  return {
    Frames: script.length,
    ScriptP50Ms: quantile(script, 0.5),
    ScriptP95Ms: quantile(script, 0.95),
    MainThreadP50Ms: quantile(all, 0.5),
    MainThreadP95Ms: quantile(all, 0.95),
  }
}

/** @param {number[]} sorted @param {number} q */
function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}
