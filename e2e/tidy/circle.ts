/** What each module uses. */
export type Graph = ReadonlyMap<string, readonly string[]>

/** For each circle one module on it, and the shortest way from there back to it. Circles that share it count as one. */
export function circles(uses: Graph): string[][] {
  const done = new Set<string>()
  const found: string[][] = []
  for (const start of uses.keys()) {
    const circle = circleAt(uses, start, done)
    if (circle !== undefined) found.push(circle)
    done.add(start)
  }
  return found
}

/** The first circle that begins and ends at `start`, by the shortest way; modules in `done` are on none. */
function circleAt(uses: Graph, start: string, done: ReadonlySet<string>): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const waiting = [start]
  for (const module of waiting) {
    for (const next of uses.get(module) ?? []) {
      if (next === start) return [...wayTo(module, cameFrom), start]
      if (done.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, module)
      waiting.push(next)
    }
  }
  return undefined
}

function wayTo(module: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(module)
  return before === undefined ? [module] : [...wayTo(before, cameFrom), module]
}
