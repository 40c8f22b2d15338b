import { expect, test } from 'vitest'
import { files, read } from './tree.ts'

// The arrows between the crates, and inside the core.

/** Names under the dependency tables of a manifest, tests' own included. */
function dependencies(manifest: string): string[] {
  return read(manifest)
    .split(/^\[/m)
    .filter((section) => /^(target\..*\.)?(dev-|build-)?dependencies\]/.test(section))
    .flatMap((section) => [...section.matchAll(/^([\w-]+)(?:\.workspace)?\s*=/gm)].map(([, name]) => name ?? ''))
}

const crate = (name: string): string => `native/crates/${name}/Cargo.toml`

test('the core depends on nothing of ours, on no binding and on no async runtime', () => {
  expect(dependencies(crate('core')).filter((name) => /^(tessera|napi|tokio|async-std|smol|hyper)/.test(name))).toEqual(
    [],
  )
})

test('only the binding names napi', () => {
  const crates = files.filter((path) => /^native\/crates\/[\w-]+\/Cargo\.toml$/.test(path) && path !== crate('node'))
  expect(crates.filter((path) => dependencies(path).some((name) => name.startsWith('napi')))).toEqual([])
})

test('the binding and the workload call the core only', () => {
  const ours = (name: string): string[] => dependencies(crate(name)).filter((other) => other.startsWith('tessera'))
  expect(ours('node')).toEqual(['tessera-core'])
  expect(ours('workload')).toEqual(['tessera-core'])
})
