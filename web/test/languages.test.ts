import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { offered } from '../src/language/languages'

// What a reader sees of a text, in the language of the page.

/** A page of a reader whose browser stores this choice. */
async function pageIn(stored: string | undefined, languages: string[] = ['en-GB']) {
  vi.resetModules()
  vi.stubGlobal('localStorage', { getItem: () => stored ?? null })
  vi.stubGlobal('navigator', { languages })
  // As in a page: a worker has no document, and is told by its name.
  vi.stubGlobal('document', {})
  const { chosen, language, dateLocale } = await import('../src/language/chosen')
  const { t, rich } = await import('../src/language/text')
  return { chosen, language, dateLocale, t, rich }
}

beforeEach(() => vi.resetModules())
afterEach(() => vi.unstubAllGlobals())

describe('English', () => {
  test('is the text as it stands, with its values and plurals', async () => {
    const { t, rich } = await pageIn(undefined)
    expect(t("It doesn't")).toBe("It doesn't")
    expect(t('Drop {name}', { name: '{a} <b>' })).toBe('Drop {a} <b>')
    const records = (n: number) => t('{n, plural, one {# record} other {# records}}', { n })
    expect([0, 1, 12_345].map(records)).toEqual(['0 records', '1 record', '12,345 records'])
    const code = (parts: unknown[]) => ({ code: parts.join('') })
    expect(rich('Type <code>{name}</code> now', { name: 'a<b', code })).toEqual(['Type ', { code: 'a<b' }, ' now'])
    expect(rich('plain', {})).toEqual(['plain'])
  })

  test('fills plain names in, and leaves the rest to the parser', async () => {
    const { t } = await pageIn('en')
    expect(t('{done} of {total} in {done}', { done: 1, total: 'all' })).toBe('1 of all in 1')
    expect(t("It's '{'{name}'}'", { name: 'x' })).toBe("It's {x}")
    expect(t('{share, number, ::percent} of {name}', { share: 0.5, name: 'a {b} <c>' })).toBe('50% of a {b} <c>')
    expect(() => t('{name} and {other}', { name: 'x' })).toThrow('other')
  })

  test('has the dates of the region of the reader', async () => {
    expect((await pageIn(undefined, ['fr', 'en-GB'])).dateLocale).toBe('en-GB')
    expect((await pageIn('en', ['fr'])).dateLocale).toBe('en-US')
  })
})

describe('the language of a page', () => {
  test('is the stored one, or else the first that the browser wants and that there is', async () => {
    expect((await pageIn('ar-XB')).chosen).toBe('ar-XB')
    for (const stored of [undefined, 'xx', '__proto__', '']) expect((await pageIn(stored)).chosen).toBe('en')
    expect([offered(['fr-CA', 'en-AU']), offered([]), offered(['constructor'])]).toEqual(['en', 'en', 'en'])
  })

  test('is told to a worker by its name', async () => {
    vi.stubGlobal('name', 'charts en-XA')
    vi.stubGlobal('document', undefined)
    expect((await import('../src/language/chosen')).chosen).toBe('en-XA')
  })
})

test('a pseudo-language changes all of a text but its values, and makes it longer', async () => {
  const { t, rich, language } = await pageIn('ar-XB')
  expect(language.direction).toBe('rtl')
  expect(t('Drop')).toBe('⟦Đŕööþ⟧')
  expect(t('{n, plural, one {# job} other {# jobs}} of {name}', { n: 2, name: 'shop' })).toBe('⟦2 ĵööƀš ööƒ shop⟧')
  expect(rich('A <b>c</b>', { b: (parts) => `[${parts.join('')}]` }).join('')).toBe('⟦Ää [ç]⟧')
})
