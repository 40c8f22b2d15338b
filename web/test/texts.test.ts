import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import ts from 'typescript'
import { LANGUAGES } from '../src/language/languages'
import { partsOf, placeOf, sources, textsOf, type Source } from './console-texts'
import { serverTexts } from './server-texts'

const own = sources.flatMap(textsOf)
const texts = [...own, ...serverTexts]

/** Tags that `Say` has by itself. */
const OWN = ['b', 'code', 'em', 'num']

test('each text is a literal, whose values are given', () => {
  expect(own.length).toBeGreaterThan(500)
  expect(serverTexts.length).toBeGreaterThan(200)
  const wrong = texts.flatMap(({ place, message, key, values }) => {
    if (message === undefined || key === undefined) return [`${place}: no literal`]
    const parts = partsOf(message)
    const both = [...parts.values].filter((name) => parts.tags.has(name)).map((name) => `${place}: two ${name}`)
    if (values === undefined) return both
    const asked = new Set([...parts.values, ...parts.tags])
    const missing = [...asked].filter((name) => !values.has(name) && !OWN.includes(name))
    const needless = [...values].filter((name) => !asked.has(name))
    return [
      ...both,
      ...missing.map((name) => `${place}: no ${name}`),
      ...needless.map((name) => `${place}: needs no ${name}`),
    ]
  })
  expect(wrong).toEqual([])
})

test('no text begins or ends with a space: it would be a piece of a sentence', () => {
  const pieces = texts.filter(({ message = '' }) => message !== message.trim() && message !== ' or ')
  expect(pieces.map(({ place, message }) => `${place}: ${message}`)).toEqual([])
})

test('a sentence of the server has only what both its writers know: values, numbers and plurals', () => {
  const others = serverTexts.filter(({ message = '' }) => !isSimple(parse(message)))
  expect(others.map(({ place, message }) => `${place}: ${message}`)).toEqual([])
})

/** In a plural may stand no further one. */
const isSimple = (elements: readonly MessageFormatElement[]): boolean =>
  elements.every((element) => {
    if (element.type === TYPE.plural)
      return (
        Object.keys(element.options).every((name) => ['one', 'other'].includes(name)) &&
        Object.values(element.options).every(({ value }) => isSimple(value))
      )
    if (element.type === TYPE.number) return element.style === null || element.style === undefined
    return element.type === TYPE.literal || element.type === TYPE.argument || element.type === TYPE.pound
  })

/** Texts between tags that no language can change. */
function untold(source: Source): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && /\p{L}{2}/u.test(node.text)) found.push(`${placeOf(source, node)}: ${node.text.trim()}`)
    ts.forEachChild(node, visit)
  }
  visit(source.file)
  return found
}

test('no page has a text that no language can change', () => {
  expect(sources.flatMap(untold)).toEqual([])
})

describe.each(Object.keys(LANGUAGES).filter((tag) => tag !== 'en'))('%s', (tag) => {
  const file = new URL(`../src/language/catalogues/${tag}.json`, import.meta.url)
  const catalogue = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>

  test('has all texts, and no others', () => {
    const needed = new Set(texts.map(({ key }) => key))
    expect([...needed].filter((key) => key !== undefined && !Object.hasOwn(catalogue, key))).toEqual([])
    expect(Object.keys(catalogue).filter((key) => !needed.has(key))).toEqual([])
  })

  test('says the same values and tags', () => {
    for (const [message, said] of Object.entries(catalogue))
      expect([message, partsOf(said)]).toEqual([message, partsOf(message)])
  })
})
