// Lists of names in query strings: comma-separated, empty = none.

export function nameList(text: string): string[] {
  return text === '' ? [] : text.split(',')
}
