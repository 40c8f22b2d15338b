// Texts in the storage of the browser, which may be full, or refuse reads and writes.

export type Where = 'localStorage' | 'sessionStorage'

export function getKept(where: Where, key: string): string | null {
  try {
    return globalThis[where].getItem(key)
  } catch {
    return null
  }
}

/** Whether the browser stored it. */
export function putKept(where: Where, key: string, text: string): boolean {
  try {
    globalThis[where].setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Deletes the text. */
export function dropKept(where: Where, key: string): void {
  try {
    globalThis[where].removeItem(key)
  } catch {
    // A storage that refuses reads counts as empty.
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
