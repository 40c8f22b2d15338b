import type axe from 'axe-core'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect } from 'vitest'
import type { Gateway } from '../gateway/gateway.ts'
import { isLong } from '../gateway/long.ts'
import { findChromium } from './chromium.mjs'

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The source of axe, without its comments: every page that is examined reads it. */
const checker = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** How long a page may take to show what is waited for, ms: other suites run beside this one. */
const PATIENCE = 60_000

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** A browser, and who is logged in. */
export interface Visitor {
  browser: Browser
  session?: Session
}

/** How large the window is, and which theme is preferred. */
export type View = Pick<BrowserContextOptions, 'viewport' | 'colorScheme'>

/** What Playwright does where a view says nothing. */
const usual = { viewport: { width: 1280, height: 720 }, colorScheme: 'light' } as const

/** Every way to look at a page, after a name that tells the pictures apart. */
export const everyLook = [1440, 390].flatMap((width) =>
  (['light', 'dark'] as const).map(
    (colorScheme) => [`${width}-${colorScheme}`, { viewport: { width, height: 900 }, colorScheme }] as const,
  ),
)

/**
 * How a page is looked at: in two ways that show both widths and both themes; in every way if `TESSERA_LOOKS` is `all`.
 * Which two changes from one `turn` to the next.
 */
export const looksOf = (turn: number): typeof everyLook =>
  everyLook.filter((_, at) => process.env['TESSERA_LOOKS'] === 'all' || (at === 0 || at === 3) === (turn % 2 === 0))

export const looks = looksOf(0)

/** Which of the two contrasts are for the look at this place: one of them for the second look, unless all looks are taken. */
export const contrastsOf = (turn: number, at: number): readonly (0 | 1)[] =>
  process.env['TESSERA_LOOKS'] === 'all' ? [0, 1] : at === 0 ? [] : turn % 2 === 0 ? [0] : [1]

let launched: Promise<Browser> | undefined

/** The browser that the goals of this process share, each with contexts of its own. It ends with the process. */
export function openBrowser(): Promise<Browser> {
  launched ??= (async () => {
    const executablePath = findChromium()
    if (executablePath === undefined) throw new Error('no Chromium: set CHROMIUM_PATH, or install it')
    return chromium.launch({ executablePath, args: quiet })
  })()
  return launched
}

/** Closes what a goal opened. */
export async function closePages(browser: Browser): Promise<void> {
  left.clear()
  for (const context of browser.contexts()) await context.close()
}

/** A page, and its complaints so far. */
interface Opened {
  page: Page
  heard: string[]
}

/** Opens a page in a context of its own; `heard` grows with its complaints. */
export async function openPage({ browser, session }: Visitor, view: View = {}): Promise<Opened> {
  const context = await browser.newContext({ ...view, ...(session && { storageState: session }) })
  context.setDefaultTimeout(PATIENCE)
  const heard = complaints(context)
  return { page: await context.newPage(), heard }
}

/** Pages that were left as new, by their visitor: the first visit of a context takes a second more than others. */
const left = new Map<string, Opened[]>()

/** Opens a page for `use`, or takes one that is as new, and fails if it complained of anything meanwhile. */
export async function withPage(visitor: Visitor, view: View, use: (page: Page) => Promise<void>): Promise<void> {
  const visits = JSON.stringify(visitor.session ?? null)
  const taken = left.get(visits)?.pop() ?? (await openPage(visitor))
  const { page, heard } = taken
  heard.length = 0
  try {
    await see(page, view)
    await use(page)
    expect(heard).toEqual([])
    await leave(page, visitor)
    left.set(visits, [...(left.get(visits) ?? []), taken])
  } catch (error) {
    const shown = await page.locator('body').innerText({ timeout: 5000 }).catch(String)
    await page.context().close()
    throw new Error(`${String(error)}\nAt ${page.url()} the page showed:\n${shown.slice(0, 3000)}`, { cause: error })
  }
}

/** Leaves nothing of a visit but what the browser has cached. */
async function leave(page: Page, { session }: Visitor): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // A file of the same origin without a script, so that the renderer stays.
  await page.goto(new URL('/favicon.svg', page.url()).href)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
  await context.addCookies(session?.cookies ?? [])
}

/** What a page complained about: console errors, uncaught exceptions, answers that were errors. */
function complaints(context: BrowserContext): string[] {
  const heard: string[] = []
  context.on('page', (page) => {
    page.on('console', (message) => {
      // Two pages of one person wrote their open queries at the same time: the one that came later merges them.
      const isMerged = message.text().includes('412') && message.location().url.endsWith('/api/v1/queries/open')
      if (message.type() === 'error' && !isMerged) heard.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => heard.push(`exception: ${error.message}`))
    page.on('requestfailed', (request) => {
      // A stream or a plan that the page no longer wants is cut off by the page itself.
      const reason = request.failure()?.errorText
      if (reason !== 'net::ERR_ABORTED') heard.push(`failed: ${request.url()} ${reason}`)
    })
  })
  return heard
}

/** The rules of axe for a look; undefined is all. Most see the same page each time. */
export const rulesAt = (at: number): string[] | undefined => (isLong || at === 0 ? undefined : rulesOfColours)

/** What axe says of colours. They are all that changes with more contrast and with the reader's own. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** The serious and critical findings of axe, one line each. `rules`: those alone. */
async function accessibilityFaults(page: Page, rules?: string[]): Promise<string[]> {
  // A page that was looked at before has it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(checker)
  // What it finds nothing wrong with is most of the page, and stays there. No rule reads what it would fetch first.
  const violations = await page.evaluate(async (only) => {
    const { axe: own } = globalThis as unknown as { axe: typeof axe }
    const which = only && { runOnly: { type: 'rule', values: only } as const }
    return (await own.run({ resultTypes: ['violations'], preload: false, ...which })).violations
  }, rules)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`))
}

/** Whether the keyboard is at it. */
export const hasFocus = (of: Locator): Promise<boolean> => of.evaluate((element) => element === document.activeElement)

/** How many pixels of a chart are drawn, also of one that a worker draws. */
export function inked(chart: Locator): Promise<number> {
  return chart.locator('canvas.chart').evaluate((canvas: HTMLCanvasElement) => {
    const copy = document.createElement('canvas')
    copy.width = canvas.width
    copy.height = canvas.height
    const context = copy.getContext('2d')
    if (context === null || canvas.width * canvas.height === 0) return 0
    context.drawImage(canvas, 0, 0)
    const { data } = context.getImageData(0, 0, copy.width, copy.height)
    return data.filter((value, at) => at % 4 === 3 && value > 0).length
  })
}

/** Whether the router of the console shows the page of the address, and nothing else is on its way. */
function isShown(): boolean {
  // It listens to addresses from the first drawing on.
  if (document.querySelector('footer.calls') === null) return false
  const { __TSR_ROUTER__: router } = globalThis as unknown as Routed
  const { __TSR_key: shown } = router?.state.resolvedLocation?.state ?? {}
  const { __TSR_key: wanted } = (history.state as Entry | null) ?? {}
  return shown !== undefined && shown === wanted
}

/** What the router keeps with an address: each has a key of its own. */
interface Entry {
  __TSR_key?: string
}

interface Routed {
  __TSR_ROUTER__?: {
    history: { push(path: string): void }
    state: { resolvedLocation?: { state: Entry } }
  }
}

/**
 * Goes to an address of the console as its links do, which takes a quarter of what loading it does. Resolves when the page
 * is shown. What an address brings by itself is for `goto`.
 */
export async function follow(page: Page, path: string): Promise<void> {
  const shown = async (what: string): Promise<void> => {
    await page.waitForFunction(isShown).catch((error: unknown) => {
      throw new Error(`${what} is not shown at ${page.url()}`, { cause: error })
    })
  }
  await shown(`what is before ${path}`)
  await page.evaluate((to) => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as Routed
    router?.history.push(to)
  }, path)
  await shown(path)
}

/** How many pixels the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Whether the title of a narrow page stands beside what every page has in its bar, and not above it. */
export function isTitleBeside(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const [title, other] = ['h1', '.global'].map((part) =>
      document.querySelector(`.pagebar ${part}`)?.getBoundingClientRect(),
    )
    return innerWidth > 760 || title === undefined || other === undefined || other.top < title.bottom
  })
}

/** What is wrong with the places of things. */
async function faultsOfLayout(page: Page): Promise<string[]> {
  const beyond = await overflow(page)
  return [
    ...(beyond === 0 ? [] : [`${beyond} pixels of sideways scrolling`]),
    ...((await isTitleBeside(page)) ? [] : ['the title has a line of its own']),
  ]
}

/**
 * Answers what axe finds on a page that does not scroll sideways and has its title in place. Takes a picture if the run is
 * long: nothing reads it but people, and it takes a third of the time.
 */
export async function examine(page: Page, name: string, fullPage = true, rules?: string[]): Promise<string[]> {
  await laidOut(page, name)
  if (isLong) await page.screenshot({ path: artifact(name), fullPage })
  return accessibilityFaults(page, rules)
}

/** Waits until charts are drawn, and nothing is wrong with the places of things. */
export async function laidOut(page: Page, name: string): Promise<void> {
  // The code that draws comes after the page, and a window of another size moves things for some frames.
  await expect.poll(() => page.locator('canvas.chart:not([data-drawn])').count()).toBe(0)
  await expect.poll(() => faultsOfLayout(page), { message: name }).toEqual([])
}

/**
 * Looks at a page that is open in one way after the other, and answers what is wrong with it. All rules of axe are for the
 * first look, those of colours for each, unless the run is long. Half of the names are narrow at first.
 */
export async function examineLooks(page: Page, name: string, fullPage = true): Promise<string[]> {
  const faults: string[] = []
  for (const [at, [look, view]] of (name.length % 2 === 0 ? looks : looks.toReversed()).entries()) {
    await see(page, view)
    const found = await examine(page, `${name}-${look}`, fullPage, rulesAt(at))
    faults.push(...found.map((fault) => `${look}: ${fault}`))
  }
  return faults
}

/** Changes the size of the window and the theme under a page. */
export async function see(page: Page, view: View): Promise<void> {
  await page.setViewportSize(view.viewport ?? usual.viewport)
  await page.emulateMedia({ colorScheme: view.colorScheme ?? usual.colorScheme })
}

const contrasts = [
  ['with more contrast', { contrast: 'more' }],
  ['with own colours', { forcedColors: 'active' }],
] as const

/** What axe finds with more contrast, and with the reader's own colours. The page looks as before then. */
export async function examineContrast(page: Page, which: readonly (0 | 1)[]): Promise<string[]> {
  const faults: string[] = []
  for (const [words, media] of which.map((one) => contrasts[one])) {
    await page.emulateMedia(media)
    faults.push(...(await accessibilityFaults(page, rulesOfColours)).map((fault) => `${words} ${fault}`))
    await page.emulateMedia({ contrast: null, forcedColors: null })
  }
  return faults
}

/** Where a screenshot goes. */
export function artifact(name: string): string {
  const folder = fileURLToPath(new URL('../.artifacts/screenshots', import.meta.url))
  mkdirSync(folder, { recursive: true })
  return `${folder}/${name}.jpg`
}

/** Asks for the login link, which works once, and answers the session for further contexts. */
export async function logIn(browser: Browser, gateway: Gateway): Promise<Session> {
  const context = await browser.newContext()
  const answer = await context.request.get(gateway.loginLink)
  expect(answer.ok(), `the login link answered ${answer.status()}`).toBe(true)
  const session = await context.storageState()
  expect(session.cookies).not.toEqual([])
  await context.close()
  return session
}
