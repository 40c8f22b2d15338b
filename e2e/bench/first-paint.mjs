// What the first visit costs: the built console in Chromium (software rendering) with a processor slowed down four times and
// an empty cache. First contentful paint, and the blocking time after it: of each task over 50 ms what is longer, until 2 s
// after the page is ready. Layout shift is that of the whole load, also with faces that come late. The pages take turns with
// an empty page of a plain server, which shows what the machine itself takes.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { bringChromium } from '../browser/chromium.mjs'
import { quantile } from './figures.mjs'
import { startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const [width, height] = [1440, 900]
const SETTLED_MS = 2000
const LONG_MS = 50
/** How often the bench looks whether a page is ready. */
const LOOK_MS = 50
const MOST_MS = 120_000
const LATE_FACE_MS = 1500
const LONGEST_NAME = 63

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {Awaited<ReturnType<import('playwright-core').BrowserContext['storageState']>>} Session */
/** @typedef {{ url: string, token: string }} Gateway */
/** @typedef {{ name: string, url: string, ready: string, session?: Session }} Visited */
/** @typedef {{ paintMs: number, readyMs: number, blockingMs: number, shift: number }} Visit */

/**
 * @param {string} scratch
 * @param {string[]} options `--rounds <n>`, `--slowdown <times>`, `--namespaces <n>`: so many more, of long names
 * @returns {Promise<Figures>}
 */
export async function firstPaint(scratch, options) {
  const rounds = option(options, '--rounds', 5)
  const slowdown = option(options, '--slowdown', 4)
  const gateway = await startGateway(join(scratch, 'gateway'))
  const plain = await servePlain()
  const browser = await chromium.launch({ executablePath: bringChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await store(gateway)
    await nameNamespaces(gateway, option(options, '--namespaces', 0))
    const session = await signIn(browser, gateway.loginLink)
    /** @type {Visited[]} */
    const pages = [
      { name: 'empty', url: plain.url, ready: 'h1' },
      { name: 'signIn', url: `${gateway.url}/login`, ready: 'form h1' },
      { name: 'overview', url: `${gateway.url}/`, ready: '.tile strong', session },
      { name: 'namespaces', url: `${gateway.url}/namespaces`, ready: 'td', session },
      { name: 'records', url: `${gateway.url}/records?ns=bench&set=events`, ready: 'td', session },
      { name: 'live', url: `${gateway.url}/live`, ready: 'canvas.chart[data-drawn]', session },
    ]
    /** @type {Map<string, { visits: Visit[], late: Visit[] }>} */
    const seen = new Map(pages.map(({ name }) => [name, { visits: [], late: [] }]))
    for (let round = 0; round < rounds; round += 1)
      for (const page of pages) {
        seen.get(page.name)?.visits.push(await visit(browser, page, slowdown, false))
        seen.get(page.name)?.late.push(await visit(browser, page, slowdown, true))
      }
    const figures = [...seen].map(([name, { visits, late }]) => [
      [`${name}PaintP50Ms`, median(visits.map(({ paintMs }) => paintMs))],
      [`${name}ReadyP50Ms`, median(visits.map(({ readyMs }) => readyMs))],
      [`${name}BlockingP50Ms`, median(visits.map(({ blockingMs }) => blockingMs))],
      [`${name}Shift`, median(visits.map(({ shift }) => shift))],
      [`${name}LateFaceShift`, median(late.map(({ shift }) => shift))],
    ])
    return { rounds, slowdown, ...Object.fromEntries(figures.flat()) }
  } finally {
    await browser.close()
    await gateway.stop()
    plain.close()
  }
}

/** @param {number[]} values */
const median = (values) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )

/** One visit with an empty cache. @param {Browser} browser @param {Visited} page @param {number} slowdown @param {boolean} isFaceLate @returns {Promise<Visit>} */
async function visit(browser, { url, ready, session }, slowdown, isFaceLate) {
  const context = await browser.newContext({ viewport: { width, height }, ...(session && { storageState: session }) })
  context.setDefaultTimeout(MOST_MS)
  const page = await context.newPage()
  await page.addInitScript(watch)
  if (isFaceLate)
    await page.route('**/*.woff2', async (route) => {
      await delay(LATE_FACE_MS)
      await route.continue()
    })
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(url)
  const readyMs = await seen(cdp, ready)
  await delay(SETTLED_MS)
  const noted = await page.evaluate(() => /** @type {any} */ (globalThis).noted)
  await context.close()
  const blocking = noted.tasks
    .map((/** @type {[number, number]} */ [start, ms]) => Math.min(ms, start + ms - noted.paintMs) - LONG_MS)
    .filter((/** @type {number} */ ms) => ms > 0)
  return {
    paintMs: noted.paintMs,
    readyMs,
    blockingMs: blocking.reduce((/** @type {number} */ sum, /** @type {number} */ ms) => sum + ms, 0),
    shift: noted.shift,
  }
}

/**
 * When an element of the page can be seen, ms. The locators of the library would bring a script of their own into the page,
 * which takes a slow processor up to 0.1 s.
 *
 * @param {import('playwright-core').CDPSession} cdp @param {string} selector @returns {Promise<number>}
 */
async function seen(cdp, selector) {
  const expression = `document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ? performance.now() : 0`
  for (const end = performance.now() + MOST_MS; performance.now() < end; await delay(LOOK_MS)) {
    const { result } = await cdp.send('Runtime.evaluate', { expression })
    if (result.value > 0) return result.value
  }
  throw new Error(`the page has shown no ${selector} in ${MOST_MS} ms`)
}

/** Runs in the page, before its scripts. */
function watch() {
  const noted = { paintMs: 0, shift: 0, tasks: /** @type {[number, number][]} */ ([]) }
  Object.assign(globalThis, { noted })
  /** @param {string} type @param {(entry: any) => void} note */
  const observe = (type, note) => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) note(entry)
    }).observe({ type, buffered: true })
  }
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') noted.paintMs = startTime
  })
  observe('longtask', ({ startTime, duration }) => noted.tasks.push([startTime, duration]))
  observe('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) noted.shift += value
  })
}

/** A few thousand records, so that the pages have something to show. @param {Gateway} gateway */
async function store(gateway) {
  const rows = Array.from({ length: 5000 }, (_, id) => JSON.stringify({ id, kind: `kind-${id % 7}`, score: id * 0.25 }))
  await create(gateway, 'bench')
  await send(gateway, '/api/v1/namespaces/bench/import?set=events&key=id', 'application/x-ndjson', rows.join('\n'))
}

/** Empty ones, whose names are as long as can be. @param {Gateway} gateway @param {number} count */
async function nameNamespaces(gateway, count) {
  for (let n = 0; n < count; n += 1) await create(gateway, `n${n}-`.padEnd(LONGEST_NAME, 'x'))
}

/** @param {Gateway} gateway @param {string} name */
const create = (gateway, name) =>
  send(gateway, '/api/v1/namespaces', 'application/json', JSON.stringify({ name, storage: { engine: 'memory' } }))

/** @param {Gateway} gateway @param {string} path @param {string} type @param {string} body */
async function send({ url, token }, path, type, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await fetch(url + path, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`)
}

/** @param {Browser} browser @param {string} link @returns {Promise<Session>} */
async function signIn(browser, link) {
  const context = await browser.newContext()
  await context.request.get(link)
  const session = await context.storageState()
  await context.close()
  return session
}

/** A page of one line, as a server sends it at least. */
async function servePlain() {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Empty</title><h1>Empty</h1>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the plain server has no port')
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() }
}
