export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** PostgreSQL's `stored @> wanted`, as a plain loop: what the index's answers are compared with. */
export function contains(stored: Json, wanted: Json): boolean {
  if (Array.isArray(stored)) {
    if (Array.isArray(wanted)) return wanted.every((item) => stored.some((own) => inside(own, item)))
    // An array contains a bare scalar, at the top level only.
    return !isObject(wanted) && stored.includes(wanted)
  }
  return inside(stored, wanted)
}

function inside(stored: Json, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(stored) && wanted.every((item) => stored.some((own) => inside(own, item)))
  }
  if (isObject(wanted)) {
    if (!isObject(stored)) return false
    return Object.entries(wanted).every(
      ([key, value]) => Object.hasOwn(stored, key) && inside(stored[key] ?? null, value),
    )
  }
  return stored === wanted
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
