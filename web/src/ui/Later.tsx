import { useDeferredValue, type ReactNode } from 'react'

/** A part of a page that comes in a drawing of its own, right after the first one: what lies at its end, so nothing moves. */
export function Later({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) && children
}
