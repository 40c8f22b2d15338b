import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const require = createRequire(import.meta.url)
const licences = ['inter', 'jetbrains-mono']

/** Loads the face of the page's texts with the page, not after its styles, and ships the licences of both faces. */
export function fonts(): Plugin {
  return {
    name: 'fonts',
    generateBundle() {
      for (const name of licences) {
        const source = readFileSync(require.resolve(`@fontsource-variable/${name}/LICENSE`), 'utf8')
        this.emitFile({ type: 'asset', fileName: `licences/${name}.txt`, source })
      }
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const face = Object.keys(bundle ?? {}).find((file) => /inter-latin-wght-normal.*\.woff2$/.test(file))
        if (face === undefined) return []
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${face}`, crossorigin: '' }
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }]
      },
    },
  }
}
