import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const styles = fileURLToPath(new URL('../src/styles/', import.meta.url))
/** These change what others say. */
const OVER = ['contrast.css', 'print.css']

/** Selectors that stand on a line of their own outside of conditions, each with its style sheets. */
const sheets = new Map<string, Set<string>>()
for (const name of readdirSync(styles).filter((one) => !OVER.includes(one)))
  for (const [, selector = ''] of readFileSync(styles + name, 'utf8').matchAll(/^([^\s@}/][^{,]*) \{$/gm))
    sheets.set(selector, (sheets.get(selector) ?? new Set()).add(name))

test('no two style sheets say what the same thing is: the later one would win everywhere', () => {
  expect(sheets.size).toBeGreaterThan(300)
  expect([...sheets].filter(([, names]) => names.size > 1).map(([selector]) => selector)).toEqual([])
})
