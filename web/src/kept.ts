// Texts that this browser keeps. It may refuse to keep anything, even to be asked, or be full.

export type Where = 'localStorage' | 'sessionStorage'

export function getKept(where: Where, key: string): string | null {
  try {
    return globalThis[where].getItem(key)
  } catch {
    return null
  }
}

/** Whether the browser took it. */
export function putKept(where: Where, key: string, text: string): boolean {
  try {
    globalThis[where].setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Keeps nothing there any more. */
export function dropKept(where: Where, key: string): void {
  try {
    globalThis[where].removeItem(key)
  } catch {
    // What cannot be asked has nothing.
  }
}

/** Reads a JSON object; undefined where there is none. */
export function parseKept(text: string | null): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
