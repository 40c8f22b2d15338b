// What the list of a large set costs its reader: the built console in Chromium (software rendering). How long it takes from
// the click on Records until the first row is drawn, and how long frames are while a wheel turns steadily: the time from
// one animation frame to the next. Script, style and layout of the main thread say how much of it is the page's own.
import { clickToFrame } from './click-to-frame.mjs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { bringChromium } from '../browser/chromium.mjs'
import { startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const [width, height] = [1440, 900]
const API = '/api/v1/namespaces'
/** Records of one request of the import. */
const BATCH = 50_000
/** A turn of the wheel, pixels, and how often. */
const [TURN, TURN_MS] = [120, 16]

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('playwright-core').Page} Page */

/**
 * @param {string} scratch
 * @param {string[]} options `--records <n>`, `--rounds <n>`, `--seconds <of scrolling>`
 * @returns {Promise<Figures>}
 */
export async function recordList(scratch, options) {
  const records = option(options, '--records', 1_000_000)
  const rounds = option(options, '--rounds', 5)
  const seconds = option(options, '--seconds', 10)
  const gateway = await startGateway(join(scratch, 'gateway'))
  const browser = await chromium.launch({ executablePath: bringChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await store(gateway, records)
    const page = await browser.newPage({ viewport: { width, height } })
    page.setDefaultTimeout(120_000)
    await page.goto(gateway.loginLink)
    await page.getByRole('heading', { level: 1 }).waitFor()
    /** @type {number[]} */
    const opened = []
    for (let round = 0; round < rounds; round += 1) opened.push(await firstRow(page, gateway.url))
    return {
      records,
      firstRowP50Ms: quantile(opened, 0.5),
      firstRowMostMs: Math.max(...opened),
      ...(await scroll(page, seconds)),
    }
  } finally {
    await browser.close()
    await gateway.stop()
  }
}

/** @param {{ url: string, token: string }} gateway @param {number} records */
async function store({ url, token }, records) {
  /** @param {string} path @param {string} type @param {string} body */
  const send = async (path, type, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const response = await fetch(url + path, { method: 'POST', headers, body })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path}: ${text}`)
  }
  await send(API, 'application/json', JSON.stringify({ name: 'bench', storage: { engine: 'memory' } }))
  for (let from = 0; from < records; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, records - from) }, (_, at) => JSON.stringify(row(from + at)))
    await send(`${API}/bench/import?set=events&key=id`, 'application/x-ndjson', rows.join('\n'))
  }
}

/** @param {number} n */
const row = (n) => ({
  id: n,
  event_type: ['PushEvent', 'ForkEvent', 'WatchEvent'][n % 3],
  repo_id: 17_000_000 + ((n * 7919) % 5_000_000),
  public: n % 5 !== 0,
  score: n * 0.25,
  payload: {
    push_id: n,
    size: n % 9,
    ref: 'refs/heads/main',
    commits: [{ author: { email: `a${n % 1000}@example.org` } }],
  },
})

/** From the click on Records until the frame that shows a row. @param {Page} page @param {string} url @returns {Promise<number>} */
async function firstRow(page, url) {
  await page.goto(`${url}/jobs`)
  const link = page.getByRole('link', { name: 'Records', exact: true })
  await link.hover()
  // The code of a page is read when its link is pointed at.
  await page.waitForLoadState('networkidle')
  return clickToFrame(page, link, 'tbody > tr[aria-rowindex] button.link')
}

/** Turns the wheel over the table. @param {Page} page @param {number} seconds @returns {Promise<Figures>} */
async function scroll(page, seconds) {
  const frame = page.getByRole('region', { name: 'Table: Records of events' })
  await frame.hover()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const metrics = async () => {
    const answer = await session.send('Performance.getMetrics')
    return Object.fromEntries(answer.metrics.map(({ name, value }) => [name, value]))
  }
  await page.evaluate(() => {
    /** @type {number[]} */
    const frames = []
    let last = 0
    const watch = (/** @type {number} */ now) => {
      if (last > 0) frames.push(now - last)
      last = now
      requestAnimationFrame(watch)
    }
    requestAnimationFrame(watch)
    Object.assign(globalThis, { frames })
  })
  const before = await metrics()
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    await page.mouse.wheel(0, TURN)
    await delay(TURN_MS)
  }
  const after = await metrics()
  const frames = await page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (globalThis).frames))
  const top = await frame.evaluate((element) => element.scrollTop)
  const nodes = await page.evaluate(() => document.querySelectorAll('tbody *').length)
  /** @param {string} name */
  const perFrame = (name) => (((after[name] ?? 0) - (before[name] ?? 0)) * 1000) / frames.length
  return {
    frames: frames.length,
    scrolledPx: top,
    frameP50Ms: quantile(frames, 0.5),
    frameP95Ms: quantile(frames, 0.95),
    frameMostMs: Math.max(...frames),
    scriptMsPerFrame: perFrame('ScriptDuration'),
    styleMsPerFrame: perFrame('RecalcStyleDuration'),
    layoutMsPerFrame: perFrame('LayoutDuration'),
    mainThreadMsPerFrame: perFrame('TaskDuration'),
    nodes,
  }
}

/** @param {number[]} values @param {number} q */
function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN
}
