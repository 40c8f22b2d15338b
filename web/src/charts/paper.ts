/**
 * Whether the page is on its way to paper. Its colours are then those of paper, and every chart is drawn, in view or
 * not. The browser tells so before it prints; a style inspector tells it with the medium.
 */
const listeners = new Set<() => void>()

export const isPaper = (): boolean => document.documentElement.hasAttribute('data-paper')

function setPaper(paper: boolean): void {
  if (paper === isPaper()) return
  const { dataset } = document.documentElement
  if (paper) dataset['paper'] = ''
  else delete dataset['paper']
  for (const listener of listeners) listener()
}

/** Tells when the page turns into paper, and back. */
export function onPaper(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Hears when the browser prints, until the function that it gives is called. */
export function watchPaper(): () => void {
  const medium = matchMedia('print')
  const [begins, ends, changes] = [() => setPaper(true), () => setPaper(false), () => setPaper(medium.matches)]
  addEventListener('beforeprint', begins)
  addEventListener('afterprint', ends)
  medium.addEventListener('change', changes)
  return () => {
    removeEventListener('beforeprint', begins)
    removeEventListener('afterprint', ends)
    medium.removeEventListener('change', changes)
  }
}

/** How long a page waits for its charts before it is printed as it is. */
const MOST_MS = 3000
/** Charts that are not drawn for paper yet. */
const PENDING = "canvas.chart:not([data-drawn='paper'])"

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

/**
 * Prints the page when its charts are drawn for paper. Charts are drawn beside the page, and a browser that prints waits
 * for nobody.
 */
export async function printPage(): Promise<void> {
  setPaper(true)
  try {
    const begunAt = performance.now()
    while (document.querySelector(PENDING) !== null && performance.now() - begunAt < MOST_MS) await nextFrame()
    // The pixels of a worker arrive with the frame after its answer.
    await nextFrame()
    await nextFrame()
    print()
  } finally {
    setPaper(matchMedia('print').matches)
  }
}
