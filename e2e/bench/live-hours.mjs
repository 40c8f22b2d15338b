// What hours of the Live page cost: its memory, and what it draws in a tab that nobody sees. The page gets recorded frames
// of a real gateway, each a second later than the one before, as fast as it can draw them.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { option, underLoad } from './live-load.mjs'

const RECORDED = 60
const HOUR = 3600
const MIB = 1024 * 1024

/** @typedef {import('./rust.mjs').Figures} Figures */

/** @param {string} scratch @param {string[]} options `--hours <n>` @returns {Promise<Figures>} */
export async function liveHours(scratch, options) {
  const hours = option(options, '--hours', 8)
  return underLoad(scratch, async ({ gateway, browser }) => {
    console.error(`recording ${RECORDED} frames`)
    const frames = await record(gateway)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(gateway.loginLink)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.addInitScript(replaceStream, frames)
    await page.goto(`${gateway.url}/live`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const pageSession = await page.context().newCDPSession(page)
    const browserSession = await browser.newBrowserCDPSession()
    /** @param {number} seconds */
    const pass = (seconds) => page.evaluate((n) => /** @type {any} */ (globalThis).passSeconds(n), seconds)
    const memory = async () => {
      await pageSession.send('HeapProfiler.collectGarbage')
      await delay(1000)
      const { usedSize } = await pageSession.send('Runtime.getHeapUsage')
      const { processInfo } = await browserSession.send('SystemInfo.getProcessInfo')
      const renderers = processInfo.filter(({ type }) => type === 'renderer')
      const resident = renderers.map(({ id }) => residentBytes(id)).reduce((sum, bytes) => sum + bytes, 0)
      return { heapMiB: usedSize / MIB, residentMiB: resident / MIB }
    }
    // The charts are full after an hour at most.
    await pass(HOUR)
    const before = await memory()
    for (let hour = 1; hour <= hours; hour += 1) {
      await pass(HOUR)
      console.error(`${hour} h: ${JSON.stringify(await memory())}`)
    }
    const after = await memory()
    const draws = () => page.evaluate(() => /** @type {any} */ (globalThis).draws)
    const seen = await draws()
    // The page may still draw the second before.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await page.evaluate(() => /** @type {any} */ (globalThis).hideTab())
    const hiddenFrom = await draws()
    await pass(RECORDED)
    return {
      hours,
      heapMiB: after.heapMiB,
      heapGrowthMiB: after.heapMiB - before.heapMiB,
      residentMiB: after.residentMiB,
      residentGrowthMiB: after.residentMiB - before.residentMiB,
      drawn: seen,
      drawnWhileHidden: (await draws()) - hiddenFrom,
    }
  })
}

/** Memory of a process, bytes. @param {number} id */
const residentBytes = (id) => Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]) * 4096

/** Frames as the gateway sends them. @param {{ url: string, token: string }} gateway @returns {Promise<string[]>} */
async function record({ url, token }) {
  const path = '/api/v1/live?topics=latency,process,memory,device,marks,jobs'
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } })
  /** @type {string[]} */
  const frames = []
  let text = ''
  const body = /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (answer.body))
  for await (const piece of body) {
    text += new TextDecoder().decode(piece)
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      const data = /^data: ?(.*)$/m.exec(event)?.[1]
      if (/^event: ?frame$/m.test(event) && data !== undefined) frames.push(data)
    }
    if (frames.length >= RECORDED) break
  }
  return frames.slice(0, RECORDED)
}

/** Runs in the page. @param {string[]} recorded */
function replaceStream(recorded) {
  const frames = recorded.map((text) => JSON.parse(text))
  const { seq: firstSeq, time } = frames.at(-1)
  const firstMs = Date.parse(time)
  let second = 0
  /** @type {EventTarget | undefined} */
  let stream
  globalThis.EventSource = /** @type {typeof EventSource} */ (
    /** @type {unknown} */ (
      class extends EventTarget {
        constructor() {
          super()
          stream = this
          setTimeout(() => this.dispatchEvent(new Event('open')))
        }
        close() {
          return undefined
        }
      }
    )
  )
  const drawn = () =>
    new Promise((resolve) => {
      if (document.hidden) setTimeout(resolve)
      else requestAnimationFrame(resolve)
    })
  Object.assign(globalThis, {
    draws: 0,
    passSeconds: async (/** @type {number} */ seconds) => {
      for (const end = second + seconds; second < end;) {
        second += 1
        const frame = frames[second % frames.length]
        const at = { seq: firstSeq + second, time: new Date(firstMs + second * 1000).toISOString() }
        stream?.dispatchEvent(new MessageEvent('frame', { data: JSON.stringify({ ...frame, ...at }) }))
        await drawn()
      }
    },
    hideTab: () => {
      Object.defineProperty(document, 'hidden', { get: () => true })
      document.dispatchEvent(new Event('visibilitychange'))
    },
  })
  const send = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (/** @type {any[]} */ ...message) {
    // Several orders are one message.
    for (const { type } of message[0]) if (type === 'draw') /** @type {any} */ (globalThis).draws += 1
    return Reflect.apply(send, this, message)
  }
}
