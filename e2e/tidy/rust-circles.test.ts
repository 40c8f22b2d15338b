import { expect, test } from 'vitest'
import { circles } from './circle.ts'
import { rustUses } from './rust-modules.ts'
import { declared, paths, product, uses } from './rust-text.ts'

// No circle between modules of a crate that lie side by side, each with all that is below it. A module and its own
// children may use each other.

/** For each use between two modules side by side an example: what lies below one names something below the other. */
const examples = new Map<string, string>()
for (const { from, to, name } of rustUses) {
  const [source, target] = [from.split('::'), to.split('::')]
  const shared = source.findIndex((step, index) => step !== target[index])
  if (shared === -1 || shared >= target.length) continue
  const [above, below] = [source, target].map((path) => path.slice(0, shared + 1).join('::'))
  const use = `${above} → ${below}`
  if (!examples.has(use)) examples.set(use, `${from} uses ${name} of ${to}`)
}

test('no circle between modules of Rust', () => {
  const graph = new Map<string, string[]>()
  for (const use of examples.keys()) {
    const [from = '', to = ''] = use.split(' → ')
    graph.set(from, [...(graph.get(from) ?? []), to])
  }
  const steps = (circle: string[]): (string | undefined)[] =>
    circle.slice(1).map((next, index) => examples.get(`${circle[index]} → ${next}`))
  expect(circles(graph).map(steps)).toEqual([])
})

test('uses are read in all their forms', () => {
  const text = product(`
    use crate::a::{self, b::{C as D, E}, f}; // use crate::comment;
    #[cfg(test)]
    mod tests { use crate::only_for_tests; }
    #[cfg(any(test, feature = "fuzzing"))]
    pub mod fuzz;
    mod b;
    pub(in crate::a) use b::G;
    fn h() -> u8 { super::i::j('"', "crate::text"); f::k::<u8>(&b'"') }
  `)
  expect(uses(text).map(({ name, path }) => `${name}: ${path.join('::')}`)).toEqual([
    'a: crate::a',
    'D: crate::a::b::C',
    'E: crate::a::b::E',
    'f: crate::a::f',
    'G: b::G',
  ])
  expect(paths(text).map((path) => path.join('::'))).toEqual(['super::i::j', 'f::k'])
  expect(declared(text)).toEqual(['b'])
})

test('the circles are looked for among all modules', () => {
  expect(new Set(rustUses.map(({ from }) => from)).size).toBeGreaterThan(450)
  expect(examples.size).toBeGreaterThan(900)
})
