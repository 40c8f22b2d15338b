// Takes a picture of every page of the built console, wide and narrow, light and dark, with data as of a real server. Look
// at them: no test sees that a text is cut, or a table ragged.
//
//   npm run pictures                     all
//   npm run pictures -- backups          those whose name contains a word
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { root } from '../../server/setup.mjs'
import { startGateway } from '../bench/gateway.mjs'
import { bringChromium } from '../browser/chromium.mjs'
import { emptyRoutes, routes } from './routes.mjs'
import { fillSite } from './site.mjs'

const wanted = process.argv[2] ?? ''
const folder = join(root, 'e2e/.artifacts/pictures')
/** How long a page settles after it has its data: charts draw in a worker. */
const SETTLED_MS = 1200

const scratch = mkdtempSync(join(tmpdir(), 'tessera-pictures-'))
const gateway = await startGateway(scratch)
const browser = await chromium.launch({ executablePath: bringChromium(), args: ['--no-sandbox', '--disable-gpu'] })
mkdirSync(folder, { recursive: true })
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.request.get(gateway.loginLink)
  const page = await context.newPage()
  for (const route of wantedOf(emptyRoutes)) await takePictures(page, route)
  for (const route of wantedOf(routes(await fillSite(gateway)))) await takePictures(page, route)
  if ('login'.includes(wanted)) await takePictures(await (await browser.newContext()).newPage(), ['login', '/login'])
} finally {
  await browser.close()
  await gateway.stop()
  rmSync(scratch, { recursive: true, force: true })
}

/** @param {readonly import('./routes.mjs').Shown[]} shown */
function wantedOf(shown) {
  return shown.filter(([name]) => name.includes(wanted))
}

/** @param {import('playwright-core').Page} page @param {import('./routes.mjs').Shown} route */
async function takePictures(page, [name, path, act]) {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(gateway.url + path)
    // A dialog that is open from the start hides the rest from readers.
    await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor()
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
    try {
      await act?.(page)
    } catch (error) {
      console.log(`${name}: ${String(error).split('\n')[0]}`)
    }
    await delay(SETTLED_MS)
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme })
      await delay(200)
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  console.log(name)
}
