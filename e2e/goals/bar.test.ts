import { Readable } from 'node:stream'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTitleBeside, overflow, withPage } from '../browser/browser.ts'
import { openSite, type Site } from '../browser/site.ts'

// The bar of a narrow page keeps its title beside what it tells, whatever that is.

let site: Site

beforeAll(async () => {
  site = await openSite()
})

afterAll(() => site.close())

/** A frame that the gateway sends, as text. */
async function frameOf({ gateway }: Site): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.token}` }
  const { body } = await fetch(`${gateway.url}/api/v1/live?topics=latency,process,memory,device`, { headers })
  let text = ''
  for await (const chunk of Readable.fromWeb(body as never)) {
    text += String(chunk)
    const frame = /^event: frame\n(?:.+\n)*?data: (.+)\n/m.exec(text)?.[1]
    if (frame !== undefined) return frame
  }
  throw new Error(`no frame came: ${text}`)
}

/** Takes the place of the live stream of a page: it brings what it is told, again and again, or breaks off. */
function installStream(): void {
  const told: { data?: string; source?: EventTarget } = {}
  const bring = (): void => {
    if (told.data !== undefined) told.source?.dispatchEvent(new MessageEvent('frame', { data: told.data }))
  }
  class Told extends EventTarget {
    constructor() {
      super()
      told.source = this
      setTimeout(bring)
    }
    close(): void {
      if (told.source === this) delete told.source
    }
  }
  setInterval(bring, 100)
  const tell = (data?: string): void => {
    if (data === undefined) delete told.data
    else told.data = data
    if (data === undefined) told.source?.dispatchEvent(new Event('error'))
    else bring()
  }
  Object.assign(globalThis, { EventSource: Told, tell })
}

const tell = (page: Page, frame?: object): Promise<void> =>
  page.evaluate(
    (data) => (globalThis as unknown as { tell(data?: string): void }).tell(data),
    frame && JSON.stringify(frame),
  )

const job = (n: number, total?: number) => ({
  id: `job-${n}`,
  kind: 'import',
  state: 'running',
  title: `Import into shop.orders ${n}`,
  done: 99,
  threads: 1,
  ...(total !== undefined && { total }),
})
const jobs = {
  none: [],
  endless: [job(1)],
  many: Array.from({ length: 12 }, (_, n) => job(n, 100)),
}

test.each(['/namespaces/new', '/'])('%s', async (path) => {
  const frame = JSON.parse(await frameOf(site)) as object
  await withPage(site, {}, async (page) => {
    await page.route('**/api/v1/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), environment: 'production' } })
    })
    const init = await page.addInitScript(installStream)
    const connection = (text: string) => page.locator('.connection').getByText(text, { exact: true })
    const faults: string[] = []
    const look = async (state: string): Promise<void> => {
      for (const width of [760, 421, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        if (!(await isTitleBeside(page))) faults.push(`${width}, ${state}: the title has a line of its own`)
        const beyond = await overflow(page)
        if (beyond > 0) faults.push(`${width}, ${state}: ${beyond} pixels of sideways scrolling`)
      }
    }
    await page.goto(site.gateway.url + path)
    await page.getByText('production', { exact: true }).waitFor()
    // A stream that is silent for some seconds counts as lost, also before its first frame.
    await page
      .locator('.connection')
      .getByText(/^(re)?connecting$/)
      .waitFor()
    await look('connecting')
    for (const [name, running] of Object.entries(jobs)) {
      for (const problems of [0, 12]) {
        const reasons = Array.from({ length: problems }, (_, n) => `problem ${n}`)
        const health = { tone: problems > 0 ? 'bad' : 'good', reasons }
        await tell(page, { ...frame, jobs: running, health })
        await connection('live').waitFor({ state: 'attached' })
        await page
          .locator('.global a.chip')
          .and(page.locator('[aria-description*="running job"]'))
          .first()
          .waitFor({ state: running.length > 0 ? 'visible' : 'detached' })
        await page.getByRole('button', { name: problems > 0 ? 'Alerts: 12 problems' : 'Alerts: none' }).waitFor()
        await look(`live, ${name} jobs, ${problems} problems`)
        await tell(page)
        await connection('reconnecting').waitFor()
        await look(`lost, ${name} jobs, ${problems} problems`)
      }
    }
    expect(faults).toEqual([])
    await init.dispose()
  })
})
