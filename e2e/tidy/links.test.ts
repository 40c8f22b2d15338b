import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { files, read, root } from './tree.ts'

const pages = files.filter((path) => path.endsWith('.md'))

/** GitHub's anchor of a heading. */
function anchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[`*]/g, '')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

const anchors = (path: string): string[] =>
  [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => anchor(text ?? ''))

/** A page without its fenced blocks, which show other files and commands. */
const prose = (path: string): string => read(path).replaceAll(/^```[\s\S]*?^```/gm, '')

test('relative links lead somewhere', () => {
  const dead = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', fragment] = target.split('#')
        const file = path === '' ? page : normalize(join(dirname(page), path))
        if (!existsSync(join(root, file))) return true
        return fragment !== undefined && !anchors(file).includes(fragment)
      })
      .map((target) => `${page}: ${target}`),
  )
  expect(dead).toEqual([])
})

test('paths named in the docs exist', () => {
  const tops = /^(server|web|native|e2e|docs|\.ci)\//
  const dead = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) =>
      [...prose(page).matchAll(/`([^`\s]+)`/g)]
        .map(([, path]) => path ?? '')
        .filter((path) => tops.test(path) && !/[*<{[]|\/dist\b|\.artifacts|\/target\b/.test(path))
        .filter((path) => !existsSync(join(root, path.replace(/:\d+$/, ''))))
        .map((path) => `${page}: ${path}`),
    )
  expect(dead).toEqual([])
})

test('npm scripts named in the docs exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => !(name in scripts))
      .map((name) => `${page}: npm run ${name}`),
  )
  expect(missing).toEqual([])
})
