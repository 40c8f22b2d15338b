/**
 * JSON text of a request. `raw` members are already JSON text, so their numbers keep every digit.
 * Unset and blank members are left out.
 */
export function requestBody(
  members: Record<string, string | number | boolean | string[] | Record<string, number> | undefined>,
  raw: Record<string, string>,
): string {
  const written = Object.entries(members).map(([name, value]): [string, string] => [name, JSON.stringify(value) ?? ''])
  const parts = [...written, ...Object.entries(raw)].filter(([, text]) => text.trim() !== '')
  return `{${parts.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}
