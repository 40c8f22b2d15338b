import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineLooks, withPage } from '../browser/browser.ts'
import { openShop } from '../browser/shop.ts'
import type { Site } from '../browser/site.ts'
import { call } from '../gateway/client.ts'

// The schema of a set as a sample shows it, and what it leads to: a query, an index, and advice on indexes.

let site: Site

beforeAll(async () => {
  const cities = ['Rome', 'Oslo', 'Paris', 'Athens', 'Vienna']
  const rows = Array.from({ length: 4000 }, (_, n) => ({
    key: `k${n}`,
    city: cities[n % 5],
    total: n % 3 === 0 ? n : n + 0.25,
    ...(n % 7 === 0 && { note: null }),
    detail: { sku: `S${n % 50}`, lines: [{ n, price: n % 90 }], 'e.mail': `${n}@example.com` },
  }))
  site = await openShop(rows)
})

afterAll(() => site.close())

test('the bins of a set are looked at', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/sets`)
    await page.getByRole('link', { name: 'Schema' }).last().click()
    await page.getByText('1,000 of', { exact: false }).or(page.getByText('a uniform random share')).first().waitFor()
    const table = page.getByRole('table', { name: 'Bins of shop' })
    await expect
      .poll(() => table.getByRole('button', { name: /^(city|detail|note|total)$/ }).allTextContents())
      .toEqual(['city', 'detail', 'note', 'total'])
    await table.getByRole('button', { name: 'detail', exact: true }).click()
    const paths = page.getByRole('table', { name: 'Paths inside detail' })
    await paths.getByRole('button', { name: 'sku', exact: true }).click()
    await page.getByRole('link', { name: 'Index this path' }).waitFor()
    expect(new URL(page.url()).searchParams.get('bin')).toBe('detail')
    expect(await examineLooks(page, 'set-profile')).toEqual([])
  })
})

test('a value leads to the records that have it', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/schema?set=orders&bin=city`)
    const values = page.getByRole('table', { name: 'Most frequent values of city' })
    await values.getByRole('link', { name: 'Find records' }).first().click()
    await page.waitForURL(/\/query/)
    expect(decodeURIComponent(page.url())).toMatch(/"bin\\*":\\*"city/)
    expect(decodeURIComponent(page.url())).toMatch(/"op\\*":\\*"eq/)
  })
})

test('a path leads to the form of an index on it', async () => {
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/schema?set=orders&bin=detail`)
    await page
      .getByRole('table', { name: 'Paths inside detail' })
      .getByRole('button', { name: 'sku', exact: true })
      .click()
    await page.getByRole('link', { name: 'Index this path' }).click()
    const form = page.getByRole('dialog', { name: 'Create an index' })
    await expect.poll(() => form.getByRole('textbox', { name: 'Path' }).inputValue()).toBe('sku')
    await expect.poll(() => form.getByRole('radio', { name: /range/ }).isChecked()).toBe(true)
  })
})

test('an index that would help is advised, and its form is filled in', async () => {
  await call(site.gateway, 'POST', '/api/v1/namespaces/shop/query', {
    set: 'orders',
    where: { bin: 'city', op: 'eq', value: 'Rome' },
  })
  await withPage(site, {}, async (page) => {
    await page.goto(`${site.gateway.url}/namespaces/shop/indexes`)
    await page.getByRole('button', { name: 'Look for indexes that would help' }).click()
    const advice = page.getByRole('table', { name: 'Indexes that would help' })
    await advice.getByText('city', { exact: true }).waitFor()
    expect(await examineLooks(page, 'index-advice')).toEqual([])
    await advice.getByRole('link', { name: 'Create…' }).click()
    const form = page.getByRole('dialog', { name: 'Create an index' })
    await form.getByRole('button', { name: 'Build index' }).waitFor()
    expect(new URL(page.url()).searchParams.get('bin')).toBe('city')
  })
})
