// What differs between two configurations: one entry per setting, by its path, such as `storage.cacheBytes`.

export interface SettingChange {
  field: string
  /** Absent: it was unset. */
  from?: unknown
  /** Absent: it is unset. */
  to?: unknown
}

/** Members that have settings of their own. The others are one value, such as `ownership`. */
const GROUPS: ReadonlySet<string> = new Set(['storage', 'storage.cluster'])

/** In the order of `after`; what only `before` has comes last. */
export function changesBetween(before: object, after: object): SettingChange[] {
  const [old, now] = [settingsIn(before), settingsIn(after)]
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((field) => !isSame(old.get(field), now.get(field)))
    .map((field) => ({
      field,
      ...(old.has(field) && { from: old.get(field) }),
      ...(now.has(field) && { to: now.get(field) }),
    }))
}

/** Whether two values are the same, whatever the order of their members. */
export function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b)
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSame(a[key], b[key]))
}

function settingsIn(config: object, above = ''): Map<string, unknown> {
  const settings = new Map<string, unknown>()
  for (const [key, value] of Object.entries(config)) {
    const field = above + key
    if (GROUPS.has(field) && isObject(value))
      for (const [inner, of] of settingsIn(value, `${field}.`)) settings.set(inner, of)
    else if (value !== undefined) settings.set(field, value)
  }
  return settings
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
