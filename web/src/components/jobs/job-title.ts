import { t } from '../../language/text'

type Said = (name: string) => string

/** How the titles of jobs begin and end, as the engine writes them. What stands between is a name. */
const TITLES: readonly (readonly [begin: string, end: string, said: Said])[] = [
  ['Back up ', '', (name) => t('Back up {name}', { name })],
  ['Build index ', '', (name) => t('Build index {name}', { name })],
  ['Count ', '', (name) => t('Count {name}', { name })],
  ['Export ', '', (name) => t('Export {name}', { name })],
  ['Import into ', '', (name) => t('Import into {name}', { name })],
  ['Index the set ', '', (name) => t('Index the set {name}', { name })],
  ['Migrate ', '', (name) => t('Migrate {name}', { name })],
  ['Query ', '', (name) => t('Query {name}', { name })],
  ['Remove what was truncated in ', '', (name) => t('Remove what was truncated in {name}', { name })],
  ['Restore ', '', (name) => t('Restore {name}', { name })],
  ['Scan ', '', (name) => t('Scan {name}', { name })],
  ['Scrub ', '', (name) => t('Scrub {name}', { name })],
  ['Stream ', '', (name) => t('Stream {name}', { name })],
  ['Switch the index of the set ', ' off', (name) => t('Switch the index of the set {name} off', { name })],
  ['Truncate ', '', (name) => t('Truncate {name}', { name })],
  ['Try an import into ', '', (name) => t('Try an import into {name}', { name })],
  ['Undo the truncation of ', '', (name) => t('Undo the truncation of {name}', { name })],
  ['Verify the backup ', '', (name) => t('Verify the backup {name}', { name })],
  ['Workload ', '', (name) => t('Workload {name}', { name })],
]

/** The title of a job in the language of the reader. One that is not known here is shown as the server says it. */
export function jobTitle(title: string): string {
  for (const [begin, end, said] of TITLES)
    if (title.length > begin.length + end.length && title.startsWith(begin) && title.endsWith(end))
      return said(title.slice(begin.length, title.length - end.length))
  return title
}
