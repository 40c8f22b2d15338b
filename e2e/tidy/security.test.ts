import { expect, test } from 'vitest'
import { files, read } from './tree.ts'

/** The tests that the page names in the last cell of its rows: file, then titles. */
const named = [...read('docs/security.md').matchAll(/^\|.*\| (.*) \|$/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([\w/.-]+\.test\.ts)`(?: "([^"]+)")?/g)].map(([, file = '', title]) => ({
    path: file.startsWith('e2e/') ? file : `server/test/${file}`,
    title,
  })),
)

test('the tests that the page on security names are there', () => {
  const missing = named.filter(({ path }) => !files.includes(path)).map(({ path }) => path)
  const titles = named
    .filter(({ path, title }) => title !== undefined && files.includes(path) && !read(path).includes(title))
    .map(({ path, title }) => `${path}: ${title}`)
  expect([...missing, ...titles]).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})
