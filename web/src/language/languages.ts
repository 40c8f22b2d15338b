/** A language of the console. */
export interface Language {
  /** what its readers call it */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** whose numbers and dates it has, as a BCP 47 tag */
  readonly locale: string
}

/** The languages that readers may choose, by their BCP 47 tag. */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', locale: 'en-US' },
  zh: { name: '中文', direction: 'ltr', locale: 'zh-CN' },
  ja: { name: '日本語', direction: 'ltr', locale: 'ja-JP' },
  de: { name: 'Deutsch', direction: 'ltr', locale: 'de-DE' },
} as const satisfies Record<string, Language>

/**
 * Made up from the English texts, for tests: longer, with accents, in brackets, from either side. A text that lacks the
 * brackets is missing in the catalogues, one that lacks the second bracket is cut off. Their tags are those of CLDR.
 */
export const PSEUDO = {
  'en-XA': { name: 'Pseudo', direction: 'ltr', locale: 'en-US' },
  'ar-XB': { name: 'Pseudo, right to left', direction: 'rtl', locale: 'en-US' },
} as const satisfies Record<string, Language>

/** Their tags, in the order of the choice. */
export const tags = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]

export type Chosen = keyof typeof LANGUAGES | keyof typeof PSEUDO

export const isLanguage = (tag: string): tag is keyof typeof LANGUAGES => Object.hasOwn(LANGUAGES, tag)
export const isPseudo = (tag: string): tag is keyof typeof PSEUDO => Object.hasOwn(PSEUDO, tag)

/** The first of the wanted languages that there is, by its whole tag or its first part; English if there is none. */
export function offered(wanted: readonly string[]): keyof typeof LANGUAGES {
  for (const tag of wanted) for (const part of [tag, tag.split('-')[0] ?? tag]) if (isLanguage(part)) return part
  return 'en'
}
