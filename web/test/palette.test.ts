import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8')

/** The variables of a block of the style, such as `--ink`. */
function block(head: string, after = ''): Map<string, string> {
  const from = css.indexOf(head, css.indexOf(after))
  expect(from, head).toBeGreaterThanOrEqual(0)
  const [body = ''] = css.slice(css.indexOf('{', from) + 1).split('}')
  return new Map([...body.matchAll(/(--[\w-]+): (#\w+)/g)].map(([, name = '', value = '']) => [name, value]))
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? Array.from(colour.slice(1), (digit) => digit + digit) : colour.match(/\w\w/g)
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one = '', other = ''): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

const MORE = '@media (prefers-contrast: more)'
const [light, dark] = [block(':root,'), block(":root[data-theme='dark'] {")]
const paper = block(":root[data-theme='dark'][data-paper] {", ':root[data-paper],')

test.each([
  ['light', light, 3],
  ['dark', dark, 3],
  ['paper', new Map([...light, ...paper]), 3],
  ['light with more contrast', new Map([...light, ...block(':root {', MORE)]), 4.5],
  ['dark with more contrast', new Map([...dark, ...block(":root[data-theme='dark'] {", MORE)]), 4.5],
])('%s: series, and the texts of a chart, stand out from their card', (_, tokens, least) => {
  const panel = tokens.get('--panel')
  const series = [1, 2, 3, 4, 5].map((slot) => tokens.get(`--series-${slot}`))
  expect(new Set(series).size).toBe(5)
  for (const colour of series) expect(contrast(colour, panel), colour).toBeGreaterThanOrEqual(least)
  for (const name of ['--ink', '--mute']) expect(contrast(tokens.get(name), panel), name).toBeGreaterThanOrEqual(4.5)
})
