import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const styles = fileURLToPath(new URL('../src/styles/', import.meta.url))

/** Every size of text in the style sheets, with its place. */
const sizes = readdirSync(styles).flatMap((name) =>
  readFileSync(styles + name, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      const value = /^\s*(?:font|font-size):\s*(.*);$/.exec(line)?.[1]
      return value === undefined ? [] : [{ place: `${name}:${at + 1}`, value }]
    }),
)

test('text has a size of the scale, so that it follows the size that the reader chose in the browser', () => {
  expect(sizes.length).toBeGreaterThan(60)
  const own = sizes.filter(({ value }) => value !== 'inherit' && !/var\(--(size|text)-[a-z]+\)/.test(value))
  expect(own).toEqual([])
})

test('the scale is in rem', () => {
  const tokens = readFileSync(`${styles}tokens.css`, 'utf8')
  const scale = [...tokens.matchAll(/--size-[a-z]+: ([^;]+);/g)].map(([, size]) => size)
  expect(scale.length).toBeGreaterThan(8)
  expect(scale.filter((size) => size === undefined || !/^\d+(\.\d+)?rem$/.test(size))).toEqual([])
})
