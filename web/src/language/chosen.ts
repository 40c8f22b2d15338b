import { getKept, putKept } from '../kept'
import { isLanguage, isPseudo, LANGUAGES, offered, PSEUDO, type Chosen, type Language } from './languages'

const KEY = 'tessera.language'

function choose(): Chosen {
  // A worker has no storage: the page tells it in its name.
  const told = typeof document === 'undefined' ? (globalThis as { name?: string }).name : undefined
  const stored = told?.split(' ')[1] ?? getKept('localStorage', KEY) ?? ''
  return isLanguage(stored) || isPseudo(stored) ? stored : offered(globalThis.navigator?.languages ?? [])
}

/** The language of this page. It is the same until the page is loaded again, so texts may be made once. */
export const chosen: Chosen = choose()

export const language: Language = isPseudo(chosen) ? PSEUDO[chosen] : LANGUAGES[chosen]

/** Whose dates the page has: of the reader's own region if it speaks the language, such as `en-GB`. */
export const dateLocale: string =
  globalThis.navigator?.languages?.find((tag) => tag.split('-')[0] === chosen) ?? language.locale

/** Loads the page again in another language. Drafts outlive that. */
export function speak(tag: Chosen): void {
  putKept('localStorage', KEY, tag)
  location.reload()
}
