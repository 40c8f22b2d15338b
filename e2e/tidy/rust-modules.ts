import { declared, paths, product, uses } from './rust-text.ts'
import { files, read } from './tree.ts'

// Which module of a crate of ours uses which, as far as names show it. A name counts for the module that defines it, not
// for one that passes it on. What a method call reaches without naming it is not seen.

/** One use: modules by their path from the crate, as `core::scan::plan`, and the name that is used. */
export interface Use {
  readonly from: string
  readonly to: string
  readonly name: string
}

interface Module {
  readonly named: readonly (readonly string[])[]
  readonly bound: ReadonlyMap<string, readonly string[]>
}

const known = new Set(files)

/** Modules of the product by their path, found from the crate's root along the `mod` lines. */
function modulesOf(root: string, crate: string): Map<string, Module> {
  const folder = root.replace(/[^/]*$/, '')
  const found = new Map<string, Module>()
  const visit = (name: string, file: string, below: string): void => {
    const text = product(read(file))
    const bindings = uses(text)
    found.set(name, {
      named: [...bindings.map(({ path }) => path), ...paths(text)],
      bound: new Map(bindings.map((binding) => [binding.name, binding.path])),
    })
    for (const child of declared(text)) {
      const path = [`${below}${child}.rs`, `${below}${child}/mod.rs`].find((candidate) => known.has(candidate))
      if (path === undefined) throw new Error(`${file} declares the module ${child}, which has no file`)
      visit(`${name}::${child}`, path, `${below}${child}/`)
    }
  }
  visit(crate, root, folder)
  return found
}

const parent = (name: string): string => name.slice(0, name.lastIndexOf('::'))

/** The module that defines what `path` names in module `at`; none of ours for what is local or of another crate. */
function definer(
  modules: ReadonlyMap<string, Module>,
  crate: string,
  at: string,
  path: readonly string[],
): string | undefined {
  let here = at
  for (const [index, step] of path.entries()) {
    const bound = modules.get(here)?.bound.get(step)
    if (step === 'crate') here = crate
    else if (step === 'super') here = parent(here)
    else if (step === 'self') continue
    else if (modules.has(`${here}::${step}`)) here = `${here}::${step}`
    else if (bound !== undefined && !(index === 0 && bound[0] === step))
      return definer(modules, crate, here, [...bound, ...path.slice(index + 1)])
    else return index === 0 ? undefined : here
  }
  return here
}

/** Every use between the modules of one crate. */
function usesIn(root: string, crate: string): Use[] {
  const modules = modulesOf(root, crate)
  return [...modules].flatMap(([from, module]) =>
    module.named.flatMap((path) => {
      const to = definer(modules, crate, from, path)
      return to === undefined || to === from ? [] : [{ from, to, name: path.at(-1) ?? '' }]
    }),
  )
}

const roots = files.flatMap((path) => {
  const [, crate, binary] = /^native\/crates\/(\w+)\/src\/(?:lib|main|bin\/([\w-]+)\/main)\.rs$/.exec(path) ?? []
  return crate === undefined ? [] : [{ path, crate: binary ?? crate }]
})

export const rustUses: readonly Use[] = roots.flatMap(({ path, crate }) => usesIn(path, crate))
