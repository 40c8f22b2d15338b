// JSON merge-patch (RFC 7396): null removes a member, objects merge, and everything else replaces.

export const MERGE_PATCH = 'application/merge-patch+json'

export type JsonMap = Record<string, unknown>

/** An object of JSON; not bytes, and not a value that is written already. */
export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** `target` with the changes of `patch`, which is not changed itself. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch
  const members = new Map(isMap(target) ? Object.entries(target) : [])
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), change))
  }
  return Object.fromEntries(members)
}

/**
 * A patch for a route that replaces its members whole: those that are objects are merged with what is there. `emptied`
 * names members that are never null: null makes them empty.
 */
export function wholeMembers(current: JsonMap, patch: unknown, emptied: readonly string[] = []): unknown {
  if (!isMap(patch)) return patch
  const members = Object.entries(patch).map(([name, change]): [string, unknown] => {
    if (change === null) return [name, emptied.includes(name) ? {} : null]
    return [name, mergePatch(current[name], change)]
  })
  return Object.fromEntries(members)
}
