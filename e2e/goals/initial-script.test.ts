// The browser reads little script before the first page, and less before its frame, and the console runs no script that its policy does not name.
import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../web/dist', import.meta.url))
const page = readFileSync(join(dist, 'index.html'), 'utf8')

/** Gzipped bytes that the sign-in page and all others need first. */
const MOST_BYTES = 250_000
/** Of these, what makes the first paint. */
const MOST_BYTES_OF_FRAME = 20_000

/** What the page names: scripts and modules to load early. */
const named = [...page.matchAll(/<(?:script|link rel="modulepreload")\s[^>]*?(?:src|href)="([^"]+)"/g)]

/** A script and all that it imports before it runs, without what comes later. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*["'](\.[^"']+)["']/g))
    withImports(resolve(dirname(path), from), found)
  return found
}

test(`the script of each page's start is at most ${MOST_BYTES / 1000} KB, gzipped`, () => {
  const scripts = new Set(named.flatMap(([, path = '']) => [...withImports(join(dist, path))]))
  const sizes = [...scripts].map((path) => gzipSync(readFileSync(path)).length)
  expect(sizes.length).toBeGreaterThan(1)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
})

test('the script that makes the frame of the page needs no other, so that nothing is shown later', () => {
  const [, path = ''] = /<script type="module"[^>]*? src="([^"]+)"/.exec(page) ?? []
  const scripts = [...withImports(join(dist, path))]
  expect(scripts.map((one) => basename(one).split('-')[0])).toEqual(['frame'])
  expect(gzipSync(readFileSync(join(dist, path))).length).toBeLessThanOrEqual(MOST_BYTES_OF_FRAME)
})

test('no script, style or handler stands in the page itself', () => {
  expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/)
  expect(named.length).toBeGreaterThan(1)
})
