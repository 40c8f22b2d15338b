import { expect, test } from 'vitest'
import { files, isTest, read } from './tree.ts'

// The arrows between the crates, and inside the core.

/** Names under the dependency tables of a manifest, tests' own included. */
function dependencies(manifest: string): string[] {
  return read(manifest)
    .split(/^\[/m)
    .filter((section) => /^(target\..*\.)?(dev-|build-)?dependencies\]/.test(section))
    .flatMap((section) => [...section.matchAll(/^([\w-]+)(?:\.workspace)?\s*=/gm)].map(([, name]) => name ?? ''))
}

const crate = (name: string): string => `native/crates/${name}/Cargo.toml`

test('the core and the events depend on nothing of ours, on no binding and on no async runtime', () => {
  const names = [...dependencies(crate('core')), ...dependencies(crate('events'))]
  expect(names.filter((name) => /^(tessera|napi|tokio|async-std|smol|hyper)/.test(name))).toEqual([])
})

test('only the binding names napi', () => {
  const crates = files.filter((path) => /^native\/crates\/[\w-]+\/Cargo\.toml$/.test(path) && path !== crate('node'))
  expect(crates.filter((path) => dependencies(path).some((name) => name.startsWith('napi')))).toEqual([])
})

test('the binding calls the core and the workload, which calls the core and the events', () => {
  const ours = (name: string): string[] => dependencies(crate(name)).filter((other) => other.startsWith('tessera'))
  expect(ours('node')).toEqual(['tessera-core', 'tessera-workload'])
  expect(ours('workload')).toEqual(['tessera-core', 'tessera-events'])
})

/** The modules of the core, lowest first; some files by themselves. A module uses those of lower layers, and of its own. */
const layers: readonly (readonly string[])[] = [
  ['error', 'limits', 'clock', 'prefetch', 'processors', 'heap', 'arena', 'apart', 'thread_guard', 'dice'],
  ['record', 'job', 'poison', 'set_column', 'slot_set', 'pool', 'ownership', 'ticker', 'watch', 'budget'],
  ['storage', 'chunk_stream', 'directory', 'metrics', 'index', 'load'],
  ['config', 'filter', 'expression'],
  ['manifest', 'sets', 'aggregate'],
  ['segment'],
  ['capacity', 'namespace', 'index/build', 'scan', 'query', 'stream', 'iterate', 'exchange', 'export', 'sweeper'],
  ['engine'],
]

test('the modules of the core use what lies below them', () => {
  const base = 'native/crates/core/src/'
  const layerOf = (name: string): number => layers.findIndex((layer) => layer.includes(name))
  const moduleOf = (path: string): string => {
    const [top = '', below] = path.slice(base.length).replace(/\.rs$/, '').split('/')
    return layerOf(`${top}/${below}`) === -1 ? top : `${top}/${below}`
  }
  const wrong = files
    .filter((path) => path.startsWith(base) && path.endsWith('.rs') && !isTest(path) && moduleOf(path) !== 'lib')
    .flatMap((path) => {
      const product = read(path).split(/#\[cfg\(test\)\]\s*mod /)[0] ?? ''
      const used = [...product.matchAll(/\bcrate::([a-z_]+)\b/g)].map(([, name]) => name ?? '')
      const own = layerOf(moduleOf(path))
      return [moduleOf(path), ...used]
        .filter((name) => layerOf(name) === -1 || layerOf(name) > own)
        .map((name) => (layerOf(name) === -1 ? `${name} has no layer` : `${path} uses ${name}`))
    })
  expect([...new Set(wrong)]).toEqual([])
})
