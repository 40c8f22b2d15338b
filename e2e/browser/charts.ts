import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { csvRows } from '../gateway/csv.ts'
import { inked } from './browser.ts'

/** Fewer pixels are no chart. */
const LEAST_PIXELS = 300

/** Chooses an action of a chart that saves a file, and answers its bytes. */
async function saved(page: Page, chart: Locator, title: string, as: 'PNG' | 'CSV'): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await chart.getByRole('button', { name: `More for ${title}` }).click()
  await chart.getByRole('menuitem', { name: `Save as ${as}` }).click()
  return readFileSync(await (await download).path())
}

const regionOf = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true })

/** Waits until a chart has its picture. It is drawn when it comes into view. */
async function pictured(page: Page, title: string): Promise<Locator> {
  const chart = regionOf(page, title)
  await chart.scrollIntoViewIfNeeded()
  await expect.poll(() => inked(chart), { message: title }).toBeGreaterThan(LEAST_PIXELS)
  return chart
}

/** The numbers of a chart as its CSV has them: a row for each x. */
export async function numbersOf(page: Page, title: string): Promise<Record<string, string>[]> {
  const chart = await pictured(page, title)
  return [...csvRows((await saved(page, chart, title, 'CSV')).toString())]
}

/** Points at a chart with pointer and keys, and zooms. */
async function pointed(page: Page, chart: Locator, title: string): Promise<void> {
  const cursor = chart.getByRole('slider', { name: `Cursor of ${title}.` })
  const values = chart.locator('.tip')
  await cursor.hover({ position: { x: 20, y: 20 } })
  await values.waitFor()
  await page.mouse.move(0, 0)
  await expect.poll(() => values.count(), { message: title }).toBe(0)

  await cursor.focus()
  await cursor.press('ArrowLeft')
  await expect.poll(() => cursor.getAttribute('aria-valuetext'), { message: title }).not.toBe('newest')
  await values.waitFor()
  const reset = chart.getByRole('button', { name: `Reset zoom of ${title}` })
  await cursor.press('+')
  await reset.click()
  await expect.poll(() => reset.count(), { message: title }).toBe(0)
}

/**
 * Everything that people do with a chart: point with pointer and keys, zoom and reset, switch a series off, read its
 * table, save it. `series` is one that the legend has; unset, if the chart has one series only. Not `whole`: what each
 * chart has of its own, its series and its table.
 */
export async function explored(page: Page, title: string, series?: string, whole = true): Promise<void> {
  const chart = await pictured(page, title)
  if (whole) await pointed(page, chart, title)

  const head = async (): Promise<string> => (await saved(page, chart, title, 'CSV')).toString().split('\r\n')[0] ?? ''
  if (series === undefined) expect(await head(), title).toContain(',')
  else {
    const entry = chart.getByRole('button', { name: series, exact: true })
    await entry.click()
    await expect.poll(() => entry.getAttribute('aria-pressed'), { message: title }).toBe('false')
    expect((await head()).split(',').map((name) => name.replace(/ \(.*\)$/, ''))).not.toContain(series)
    await entry.click()
  }

  await chart.getByRole('button', { name: `Show ${title} as table` }).click()
  const columns = chart.getByRole('columnheader')
  if (series === undefined) await columns.nth(1).waitFor()
  else await chart.getByRole('columnheader', { name: series, exact: true }).waitFor()
  await chart.getByRole('button', { name: `Show ${title} as chart` }).click()
  await pictured(page, title)
  if (whole) expect((await saved(page, chart, title, 'PNG')).subarray(1, 4).toString(), title).toBe('PNG')
}
