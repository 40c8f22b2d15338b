import type { Plugin } from 'vite'

const UNLESS_DOCUMENT = '!root.head && root.adoptedStyleSheets'

/**
 * CodeMirror's styles as constructed sheets: the policy of the gateway forbids a `<style>`, which `style-mod` adds to a
 * document. It knows constructed sheets, and uses them in shadow roots alone.
 */
export function constructedSheets(): Plugin {
  return {
    name: 'tessera-constructed-sheets',
    apply: 'build',
    transform(code, id) {
      if (!/style-mod[^/]*\.js$/.test(id)) return null
      if (!code.includes(UNLESS_DOCUMENT)) throw new Error('style-mod decides about constructed sheets in another way')
      return { code: code.replace(UNLESS_DOCUMENT, 'root.adoptedStyleSheets'), map: null }
    },
  }
}
