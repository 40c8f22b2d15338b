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
let commits = 0

// The real one, also where a test takes the clock.
const nextTurn = setImmediate
/** Turns in which React commits nothing when it has come to its end: it runs effects and the renders they ask for in one each. */
const STILL_TURNS = 10

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_: number, { current }: { current: Fiber }) => {
      commits++
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

/** What React renders from now on, until the test ends. */
export function watchRenders() {
  let seen: string[] = []
  const watcher = (name: string): void => void seen.push(name)
  watchers.add(watcher)
  onTestFinished(() => void watchers.delete(watcher))
  return {
    /** the names of the components */
    names: (): string[] => [...new Set(seen)].toSorted(),
    /** Forgets them, once React has rendered what it has begun. */
    settle: async (): Promise<void> => {
      for (let still = 0, last = commits; still < STILL_TURNS; still = commits === last ? still + 1 : 0) {
        last = commits
        await new Promise<void>((go) => nextTurn(() => go()))
      }
      seen = []
    },
  }
}
