import { exportPath } from '../../../api/export-path'
import { downloadFrom } from '../../../components/download-from'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { Menu } from '../../../ui/Menu'
import { exportActions } from './export-actions'
import { t } from '../../../language/text'

interface Props {
  ns: string
  set: string
  /** the filter of the list; empty: all records of the set */
  where: string
}

/** Downloads all records that the list can show. The gateway streams them, so their number does not matter. */
export function ExportMenu({ ns, set, where }: Props) {
  return (
    <Menu
      button={
        <Button small>
          {where === '' ? t('Export all') : t('Export all that match')}
          <Icon name="down" />
        </Button>
      }
      actions={exportActions((format) => downloadFrom(exportPath(ns, { set, format, where })))}
    />
  )
}
