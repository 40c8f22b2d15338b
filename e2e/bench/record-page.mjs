// What a large record costs its reader: the built console in Chromium (software rendering) opens a record of about 1 MB,
// from the click until its text can be edited, and types into its JSON. Then it opens one of 8 MB, the longest that a namespace can allow. A key stroke
// lasts from its event until the frame after it is drawn. Records come from the list, so that the code is there.
import { clickToFrame } from './click-to-frame.mjs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { bringChromium } from '../browser/chromium.mjs'
import { startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const [width, height] = [1440, 900]
const PATH = '/api/v1/namespaces/bench'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('playwright-core').Page} Page */

/**
 * @param {string} scratch
 * @param {string[]} options `--keys <n>`, `--rounds <n>`
 * @returns {Promise<Figures>}
 */
export async function recordPage(scratch, options) {
  const keys = option(options, '--keys', 30)
  const rounds = option(options, '--rounds', 5)
  const gateway = await startGateway(join(scratch, 'gateway'))
  const browser = await chromium.launch({ executablePath: bringChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await store(gateway)
    const page = await browser.newPage({ viewport: { width, height } })
    page.setDefaultTimeout(120_000)
    await page.goto(gateway.loginLink)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.addInitScript(watchKeys)
    /** @type {number[]} */
    const opened = []
    for (let round = 0; round < rounds; round += 1) opened.push(await open(page, gateway.url, 'large'))
    const strokes = await type(page, keys)
    const huge = await open(page, gateway.url, 'huge')
    return {
      openP50Ms: quantile(opened, 0.5),
      openMostMs: Math.max(...opened),
      strokeP50Ms: quantile(strokes, 0.5),
      strokeP95Ms: quantile(strokes, 0.95),
      strokeMostMs: Math.max(...strokes),
      openHugeMs: huge,
    }
  } finally {
    await browser.close()
    await gateway.stop()
  }
}

/** Stores one record of 1 MB and one of 8 MB, in sets of their own. @param {{ url: string, token: string }} gateway */
async function store({ url, token }) {
  /** @param {'POST' | 'PUT'} method @param {string} path @param {unknown} body */
  const send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = { method, headers, body: JSON.stringify(body) }
    const response = await fetch(url + path, request)
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  }
  await send('POST', '/api/v1/namespaces', { name: 'bench', storage: { engine: 'memory' }, maxRecordBytes: 8_384_512 })
  for (const [key, items] of /** @type {const} */ ([
    ['large', 10_300],
    ['huge', 82_000],
  ])) {
    const list = Array.from({ length: items }, (_, id) => ({
      id,
      name: `user ${id}`,
      score: id * 1.5,
      tags: ['a', 'b', 'c'],
      nested: { x: id, y: [1, 2, 3] },
    }))
    await send('PUT', `${PATH}/sets/${key}/records/${key}`, { kind: 'list', items: list })
  }
}

/** Opens a record from its list. @param {Page} page @param {string} url @param {string} key @returns {Promise<number>} ms */
async function open(page, url, key) {
  await page.goto(`${url}/records?ns=bench&set=${key}`)
  const link = page.getByRole('button', { name: key, exact: true })
  await link.waitFor()
  // Until there is something to read or to type into.
  return clickToFrame(page, link, '[role=dialog] :is(textarea, .cm-content, pre.json)')
}

/** Types into the JSON of the record. @param {Page} page @param {number} keys @returns {Promise<number[]>} ms of each */
async function type(page, keys) {
  const views = page.getByRole('dialog').getByRole('radiogroup', { name: 'Edit as' })
  await views.getByText('JSON').click()
  const text = page.getByLabel('Bins as JSON')
  await text.waitFor()
  await text.focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.evaluate(() => {
    const { strokes } = /** @type {any} */ (globalThis)
    strokes.length = 0
  })
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press(key % 2 === 0 ? 'Space' : 'Backspace')
    await page.waitForFunction((count) => /** @type {any} */ (globalThis).strokes.length > count, key)
    // As fast as people type, so that what waits for a pause falls between key strokes, too.
    await page.waitForTimeout(60 + (key % 5) * 120)
  }
  return page.evaluate(() => /** @type {any} */ (globalThis).strokes)
}

/** Runs in the page: keeps how long each key stroke takes until it is drawn. */
function watchKeys() {
  /** @type {number[]} */
  const strokes = []
  Object.assign(globalThis, { strokes })
  addEventListener(
    'keydown',
    (event) => {
      // When the key was pressed, also if the page was busy then.
      const at = event.timeStamp
      requestAnimationFrame(() => setTimeout(() => strokes.push(performance.now() - at)))
    },
    { capture: true },
  )
}

/** @param {number[]} values @param {number} q */
function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN
}
