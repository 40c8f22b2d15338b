import { useLayoutEffect, useRef, type RefObject } from 'react'

/** What tells that there is something new. */
interface Told {
  subscribe: (listener: () => void) => () => void
}

/** Calls what writes into the page what a feed shows, with each frame: it changes each second, and nothing renders. */
export function useEachFrame(feed: Told, write: () => void): void {
  useLayoutEffect(() => {
    write()
    return feed.subscribe(write)
  })
}

/** The same for one element. */
export function useWritten<T extends Element>(feed: Told, write: (element: T) => void): RefObject<T | null> {
  const element = useRef<T>(null)
  useEachFrame(feed, () => {
    if (element.current !== null) write(element.current)
  })
  return element
}

/** Writes a text into an element that React leaves empty. The same text costs no layout. */
export function writeText(element: Element | undefined, text: string): void {
  if (element === undefined) return
  const { firstChild } = element
  if (firstChild === null) element.append(text)
  else if (firstChild.nodeValue !== text) firstChild.nodeValue = text
}

export function writeAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

export function writeClass(element: Element | undefined, name: string): void {
  if (element !== undefined && element.className !== name) element.className = name
}
