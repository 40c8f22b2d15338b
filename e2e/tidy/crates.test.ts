import { expect, test } from 'vitest'
import { files, isTest, read } from './tree.ts'

// The arrows between the crates, and inside the core. Cargo itself holds the rest: no crate reaches what it does not name.

/** Names under the dependency tables of a manifest, tests' own included. */
function dependencies(manifest: string): string[] {
  return read(manifest)
    .split(/^\[/m)
    .filter((section) => /^(target\..*\.)?(dev-|build-)?dependencies\]/.test(section))
    .flatMap((section) => [...section.matchAll(/^([\w-]+)(?:\.workspace)?\s*=/gm)].map(([, name]) => name ?? ''))
}

const crate = (name: string): string => `native/crates/${name}/Cargo.toml`

/** Each crate with those of ours that it names. What is not listed here does not exist. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  bucket: ['base', 'core', 'jobs', 'record'],
  cluster: ['base', 'core', 'record'],
  core: ['base', 'index', 'io', 'jobs', 'record', 'storage'],
  events: [],
  index: ['base', 'record'],
  io: ['base'],
  jobs: ['base', 'io', 'record'],
  node: ['base', 'bucket', 'cluster', 'core', 'index', 'io', 'jobs', 'record', 'storage', 'workload'],
  record: ['base'],
  storage: ['base', 'index', 'io', 'record'],
  workload: ['base', 'core', 'events', 'index', 'io', 'jobs', 'record', 'storage'],
}

test('crates use each other along the arrows of docs/architecture.md', () => {
  const names = files.flatMap((path) => /^native\/crates\/([\w-]+)\/Cargo\.toml$/.exec(path)?.[1] ?? [])
  const ours = (name: string): string[] =>
    dependencies(crate(name)).flatMap((other) => /^tessera-(\w+)$/.exec(other)?.[1] ?? [])
  expect(Object.fromEntries(names.map((name) => [name, [...new Set(ours(name))].sort()]))).toEqual(arrows)
})

test('only the binding names napi, only the cluster and the bucket a runtime, and only the load generator an event loop', () => {
  const foreign = (name: string): string[] =>
    dependencies(crate(name)).filter((other) => /^(napi|tokio|async-std|smol|hyper|mio)/.test(other))
  const named = Object.keys(arrows).map((name) => [name, foreign(name)] as const)
  expect(Object.fromEntries(named.filter(([, found]) => found.length > 0))).toEqual({
    bucket: ['tokio'],
    cluster: ['tokio'],
    node: ['napi', 'napi-derive', 'napi-build'],
    workload: ['mio'],
  })
})

/** The modules of the core, lowest first. A module uses those of lower layers, and of its own. */
const layers: readonly (readonly string[])[] = [
  ['ownership', 'budget'],
  ['directory', 'metrics'],
  ['config'],
  ['manifest', 'sets', 'aggregate', 'stream_summary'],
  ['segment'],
  ['capacity', 'store'],
  ['output'],
  ['access'],
  ['scan'],
  ['query', 'iterate', 'export', 'backup'],
  ['stream'],
  ['namespace'],
  ['exchange', 'sweeper'],
  ['engine'],
]

test('the modules of the core use what lies below them', () => {
  const core = 'native/crates/core/src/'
  const layerOf = (name: string): number => layers.findIndex((layer) => layer.includes(name))
  const moduleOf = (path: string): string => path.slice(core.length).replace(/(\.rs|\/.*)$/, '')
  const wrong = files
    .filter((path) => path.startsWith(core) && path.endsWith('.rs') && !isTest(path) && moduleOf(path) !== 'lib')
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
