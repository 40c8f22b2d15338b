import type { Sample } from './sample'

/** The fields of a record object; a line with another one is a row of data. */
const FIELDS = ['set', 'key', 'digest', 'generation', 'expiresAt', 'updatedAt', 'ttlSeconds', 'bins']

/** What the header of an exported table begins with; one of an earlier release lacks the generation. */
const COLUMNS = ['$key', '$set', '$generation', '$expiresAt', '$otherBins']
const EARLIER = COLUMNS.filter((name) => name !== '$generation')

/** The column or field with the key. A request that names it reads the file as any other. */
export const exportKey = ({ format, columns }: Sample): string =>
  format === 'csv' ? '$key' : columns.includes('key') ? 'key' : 'digest'

/** Whether the server reads the rows of a file as records that an export wrote. It decides for each line; this looks at the first. */
export function isExport({ format, columns }: Sample): boolean {
  if (format === 'csv') return [COLUMNS, EARLIER].some((names) => names.every((name, at) => columns[at] === name))
  // An export has a line with `error` for a record that it could not read.
  return (
    columns.includes('bins') &&
    (columns.includes('key') || columns.includes('digest')) &&
    columns.every((name) => FIELDS.includes(name) || name === 'error')
  )
}
