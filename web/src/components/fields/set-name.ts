/** The name of a set on a page. */
export function setName(set: string): string {
  return set === '' ? 'without a set' : set
}
