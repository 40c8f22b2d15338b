import type { FileFormat } from '../../../api/export-path'
import type { MenuAction } from '../../../ui/Menu'
import { t } from '../../../language/text'

/** The formats of a file of records. */
export const exportActions = (save: (format: FileFormat) => void): MenuAction[] => [
  { text: t('NDJSON, with all that a record has'), act: () => save('ndjson') },
  { text: t('MessagePack, with all that a record has'), act: () => save('msgpack') },
  { text: t('CSV, a column for each bin'), act: () => save('csv') },
]
