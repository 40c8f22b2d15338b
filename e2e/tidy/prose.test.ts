import { expect, test } from 'vitest'
import { files, generated, read } from './tree.ts'

// How the pages are written. CONTRIBUTING.md has the rules; these are those that a program can check.

const LINE_MAX = 120
const SENTENCE_MAX = 30
/** The share of sentences that may be longer. */
const LONG_SHARE = 0.02

const pages = files.filter((path) => path.endsWith('.md') && !generated.includes(path))

/** The lines of a page that are prose: no code, and no tables. */
function proseOf(page: string): { number: number; text: string }[] {
  let inCode = false
  return read(page)
    .split('\n')
    .map((text, i) => ({ number: i + 1, text }))
    .filter(({ text }) => {
      const fence = text.trimStart().startsWith('```')
      if (fence) inCode = !inCode
      return !fence && !inCode && !/^\s*\|/.test(text)
    })
}

/** Sentences of a page: an inline piece of code counts as one word, and so does a link's text as what it says. */
function sentencesOf(page: string): string[] {
  const blocks: string[] = []
  let block = ''
  for (const { text } of proseOf(page)) {
    const begins = /^\s*([-*]|\d+\.)\s/.test(text) || text.startsWith('#') || text.trim() === ''
    if (begins) {
      blocks.push(block)
      block = ''
    }
    if (!text.startsWith('#')) block += ` ${text}`
  }
  blocks.push(block)
  return blocks
    .map((text) =>
      text
        .replace(/`[^`]*`/g, 'code')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((text) => text.split(/(?<=[.!?:;])\s+(?=[A-Z“"(*])/))
    .filter((sentence) => sentence !== '')
}

test('a line of Markdown outside tables and code is short', () => {
  const long = pages.flatMap((page) =>
    proseOf(page)
      .filter(({ text }) => text.length > LINE_MAX && !/^\s*\S*https?:\S+$/.test(text))
      .map(({ number }) => `${page}:${number}`),
  )
  expect(long).toEqual([])
})

test('few sentences are long', () => {
  const all = pages.flatMap((page) => sentencesOf(page).map((sentence) => ({ page, sentence })))
  const long = all.filter(({ sentence }) => sentence.split(' ').length > SENTENCE_MAX)
  const told = long.map(({ page, sentence }) => `${page}: ${sentence.slice(0, 100)}`)
  expect(long.length / all.length, told.join('\n')).toBeLessThanOrEqual(LONG_SHARE)
})

// What reads as translated, and what to write instead.
test.each([
  [/\bof which\b/i, 'two sentences'],
  [/\bof what\b/i, 'a noun'],
  [/\bwhat is asked of\b/i, 'the request'],
  [/\bwho comes\b/i, 'a name for them'],
  [/(^|[.!?] )(Of an?|Where an?|What an?) /, 'the subject first'],
  [/\bsome \d/i, '"about"'],
])('%s is not written: %s', (pattern) => {
  const found = pages.flatMap((page) =>
    proseOf(page)
      .filter(({ text }) => pattern.test(text))
      .map(({ number, text }) => `${page}:${number}: ${text.trim().slice(0, 90)}`),
  )
  expect(found).toEqual([])
})
