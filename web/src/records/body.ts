/** JSON text of a request whose `where` is text already, so that its numbers keep every digit. Absent members are left out. */
export function bodyWithWhere(
  members: Record<string, string | number | boolean | string[] | undefined>,
  where: string,
): string {
  const parts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  if (where.trim() !== '') parts.push(`"where":${where}`)
  return `{${parts.join(',')}}`
}
