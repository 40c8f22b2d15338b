import type { Page } from 'playwright-core'

/** Texts of a page in a pseudo-language that no catalogue can change, each with where it stands. */
export function untold(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // What is written as code, and what tables show of records and of the server.
    const data =
      'code, pre, kbd, textarea, .cm-editor, html [lang], td.data, .mono, td strong, td a, time, .diff, .curl'
    const attributes = ['title', 'aria-label', 'aria-description', 'placeholder']
    const marked = /[⟦⟧äƀçđéƒğĥïĵķĺɱñöþǫŕšťüṽŵẋýž]/i
    const units = /\b(ns|µs|ms|s|B|KiB|MiB|GiB|TiB|p\d+|op|[kMG])\b/g
    const found = new Set<string>()
    const look = (text: string, at: Element, kind: string): void => {
      if (marked.test(text) || !/[A-Za-z]{2}/.test(text.replace(units, '')) || at.closest(data) !== null) return
      found.add(`${kind}: ${text.trim()}`)
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement !== null && node.parentElement.closest('script, style') === null)
        look(node.textContent ?? '', node.parentElement, 'text')
    for (const name of attributes)
      for (const at of document.body.querySelectorAll(`[${name}]`)) look(at.getAttribute(name) ?? '', at, name)
    return [...found]
  })
}
