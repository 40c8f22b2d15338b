import { chosen } from './chosen'
import { isPseudo, type Chosen } from './languages'

/** Texts by their English form. */
export type Catalogue = Readonly<Record<string, string>>

/** English needs none: its texts stand in the code. The others are loaded before the first text is made. */
const catalogues: Partial<Record<Chosen, () => Promise<{ default: Catalogue }>>> = {
  de: () => import('./catalogues/de.json'),
  ja: () => import('./catalogues/ja.json'),
  zh: () => import('./catalogues/zh.json'),
}

export const catalogue: Catalogue = (await catalogues[chosen]?.())?.default ?? {}

/** The texts that have translations. A pseudo-language has none of its own, and knows those of another one. */
export const known: Catalogue = isPseudo(chosen) ? ((await catalogues.de?.())?.default ?? {}) : catalogue
