/** The column that orders the rows. */
export interface Sort {
  name: string
  down: boolean
}

/** As it stands in an address: `-records` is descending. */
export const sortText = ({ name, down }: Sort): string => (down ? `-${name}` : name)

export function sortOf(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '' || text === '-') return undefined
  return text.startsWith('-') ? { name: text.slice(1), down: true } : { name: text, down: false }
}

/** The next press on a head: descending first, then the other way. */
export const nextSort = (sort: Sort | undefined, name: string): Sort => ({
  name,
  down: sort?.name === name ? !sort.down : true,
})
