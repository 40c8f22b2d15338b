import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { eventText } from '../src/components/jobs/event-text'
import { jobTitle } from '../src/components/jobs/job-title'

const binding = fileURLToPath(new URL('../../native/crates/node/src/', import.meta.url))

// A language that has the words in another order.
vi.mock('../src/language/text', () => ({
  t: (message: string, values: Record<string, string> = {}) =>
    `«${message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')}»`,
  tIn: (_: string, message: string) => message,
}))

test.each([
  'Back up shop',
  'Build index by_total',
  'Count shop.orders',
  'Export shop.orders',
  'Import into shop.orders',
  'Index the set orders',
  'Migrate shop',
  'Query shop.orders',
  'Remove what was truncated in shop.orders',
  'Restore shop',
  'Scan shop.orders',
  'Scrub shop',
  'Stream shop.orders',
  'Switch the index of the set orders off',
  'Truncate shop.orders',
  'Try an import into shop.orders',
  'Undo the truncation of shop.orders',
  'Verify the backup 20261129',
  'Workload a of record on shop',
])('%s is said in the language of the reader', (title) => {
  expect(jobTitle(title)).toBe(`«${title}»`)
})

test.each(['', 'Scan ', 'Rearrange shop', 'Switch the index of the set  off'])(
  'a title that is not known stays as the server wrote it: "%s"',
  (title) => {
    expect(jobTitle(title)).toBe(title)
  },
)

test('an event of a job is its title, and at its end its state', () => {
  expect(eventText({ kind: 'job-start', text: 'Scan a: b' })).toBe('«Scan a: b»')
  expect(eventText({ kind: 'job-end', text: 'Scan a: b: done' })).toBe('««Scan a: b»: «done»»')
  expect(eventText({ kind: 'job-end', text: 'Scan' })).toBe('Scan')
  expect(eventText({ kind: 'config', text: 'Scan shop' })).toBe('Scan shop')
})

/** Texts of the events that the binding notes, with names in place of their values. */
const noted: string[] = readdirSync(binding)
  .filter((name) => name.endsWith('.rs'))
  .flatMap((name) => {
    const code = readFileSync(binding + name, 'utf8')
    return [...code.matchAll(/marks\(\)\.add\("config", format!\("([^"]+)"/g)].flatMap(([, text = '']) => {
      const before = code.slice(0, code.indexOf(text))
      const [, ...ways] = [...before.matchAll(/let how = if \w+ \{ "([^"]+)" \} else \{ "([^"]+)" \}/g)].at(-1) ?? []
      const texts = text.includes('{how}') ? ways.map((way) => text.replace('{how}', way)) : [text]
      return texts.map((one) => one.replace(/\{\w*\}/g, 'shop'))
    })
  })

test('each event that is not of a job is said in the language of the reader', () => {
  expect(noted.length).toBeGreaterThan(12)
  expect(noted.filter((text) => eventText({ kind: 'config', text }) !== `«${text}»`)).toEqual([])
})
