import { expect, test } from 'vitest'
import { files } from './tree.ts'

const folders = ['.ci', '.github', 'docs', 'e2e', 'native', 'server', 'web']
const atRoot = [
  '.editorconfig',
  '.gitignore',
  '.npmrc',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'package-lock.json',
  'package.json',
  'tsconfig.base.json',
]

test('the top level holds what the layout says and nothing else', () => {
  const top = new Set(files.map((path) => path.split('/')[0] ?? ''))
  expect([...top].sort()).toEqual([...folders, ...atRoot].sort())
})

test('rooms are named after nouns of the product', () => {
  const vague = /(^|\/)(utils?|helpers?|misc|common)(\/|\.(rs|ts|tsx|mjs)$)/
  expect(files.filter((path) => vague.test(path))).toEqual([])
})
