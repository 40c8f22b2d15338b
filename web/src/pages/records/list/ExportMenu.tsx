import { exportPath, type FileFormat } from '../../../api/export-path'
import { downloadFrom } from '../../../components/download-from'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { Menu } from '../../../ui/Menu'
import { t } from '../../../language/text'

interface Props {
  ns: string
  set: string
  /** the filter of the list; empty: all records of the set */
  where: string
}

/** Downloads all records that the list can show. The gateway streams them, so their number does not matter. */
export function ExportMenu({ ns, set, where }: Props) {
  const download = (format: FileFormat) => (): void => downloadFrom(exportPath(ns, { set, format, where }))
  return (
    <Menu
      button={
        <Button small>
          {where === '' ? t('Export all') : t('Export all that match')}
          <Icon name="down" />
        </Button>
      }
      actions={[
        { text: t('NDJSON, with all that a record has'), act: download('ndjson') },
        { text: t('MessagePack, with all that a record has'), act: download('msgpack') },
        { text: t('CSV, a column for each bin'), act: download('csv') },
      ]}
    />
  )
}
