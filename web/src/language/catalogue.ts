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

export const catalogue: Catalogue = await load(chosen)

/** The texts that have translations. A pseudo-language has none of its own, and knows those of another one. */
export const known: Catalogue = isPseudo(chosen) ? await load('de') : catalogue

/** Texts that cannot be loaded are English: without any, the page would stay empty. */
async function load(tag: Chosen): Promise<Catalogue> {
  const read = await catalogues[tag]?.().catch(() => undefined)
  return read?.default ?? {}
}
