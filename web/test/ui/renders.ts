// Which components React renders, as its developer tools see it. It has to be there before React is loaded.
import { onTestFinished } from 'vitest'

/** A part of React's tree. */
interface Fiber {
  type: unknown
  flags: number
  child: Fiber | null
  sibling: Fiber | null
  /** the same part before this commit */
  alternate: Fiber | null
}

/** React's mark of a component that it has called. */
const PERFORMED_WORK = 1

const watchers = new Set<(name: string) => void>()

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_: number, { current }: { current: Fiber }) => {
      if (watchers.size > 0) note(current)
    },
    onCommitFiberUnmount: () => undefined,
  },
})

function note({ type, flags, child, alternate }: Fiber): void {
  if (typeof type === 'function' && (flags & PERFORMED_WORK) !== 0) for (const watcher of watchers) watcher(type.name)
  // What React did not go into is the same as before.
  if (alternate !== null && alternate.child === child) return
  for (let part = child; part !== null; part = part.sibling) note(part)
}

/** The names of the components that render from now on, until the test ends. */
export function watchRenders(): { names: () => string[]; clear: () => void } {
  let seen: string[] = []
  const watcher = (name: string): void => void seen.push(name)
  watchers.add(watcher)
  onTestFinished(() => void watchers.delete(watcher))
  return { names: () => [...new Set(seen)].toSorted(), clear: () => void (seen = []) }
}
