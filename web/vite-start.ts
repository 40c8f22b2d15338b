import { fileURLToPath } from 'node:url'
import type { Plugin, Rolldown } from 'vite'

/** The script that `start.ts` loads when the frame of the page is drawn. */
const REST = fileURLToPath(new URL('src/main.tsx', import.meta.url))

/** What the rest consists of, in the order in which it runs. Each file is a task of its own, so that none blocks long. */
const parts: readonly (readonly [name: string, modules: RegExp])[] = [
  ['react', /\/node_modules\/(react|react-dom|scheduler)\//],
  ['tanstack', /\/node_modules\/@tanstack\//],
  ['base-ui', /\/node_modules\/(@base-ui|@floating-ui)\//],
  ['console', /^(?!.*\/src\/(main|routes)\.tsx)/],
  ['routes', /\/src\/routes\.tsx/],
  ['main', /./],
]

/** Pages that use a part of the console, from which on it is in a file that all pages share: many small ones take long. */
const MANY_PAGES = 8

/** The files that the build makes: few, because a slow processor takes long for each. */
export const groups: Rolldown.CodeSplittingGroup[] = [
  { name: 'frame', tags: ['$initial'], priority: 1 },
  ...parts.map(([name, test]) => ({
    name: (id: string, context: Rolldown.ChunkingContext) => (isInRest(id, context) ? name : null),
    test,
  })),
  { name: 'shared', minShareCount: MANY_PAGES },
]

const inRest = new Set<string>()

function isInRest(id: string, context: Rolldown.ChunkingContext): boolean {
  const left = inRest.size === 0 ? [REST] : []
  for (const one of left) {
    inRest.add(one)
    left.push(...(context.getModuleInfo(one)?.importedIds ?? []).filter((next) => !inRest.has(next)))
  }
  return inRest.has(id)
}

/** Reads the scripts of the rest with the page, those first that others need. */
export function start(): Plugin {
  return {
    name: 'tessera-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one): one is Rolldown.OutputChunk => one.type === 'chunk')
        const entry = chunks.find(({ isEntry }) => isEntry)
        const rest = chunks.find(({ moduleIds }) => moduleIds.includes(REST))
        if (entry === undefined || rest === undefined) throw new Error('the build has no start')
        const first = withImports(entry, bundle)
        return [...withImports(rest, bundle)]
          .filter((file) => !first.has(file))
          .map((file) => {
            const attrs = { rel: 'modulepreload', crossorigin: '', href: `/${file}` }
            return { tag: 'link', attrs, injectTo: 'head' as const }
          })
      },
    },
  }
}

/** The files of a script and of all that it imports, each after those that it imports. */
function withImports({ fileName, imports }: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): Set<string> {
  const files = new Set<string>()
  for (const name of imports) {
    const one = bundle[name]
    if (one?.type === 'chunk' && !files.has(name)) for (const file of withImports(one, bundle)) files.add(file)
  }
  return files.add(fileName)
}
