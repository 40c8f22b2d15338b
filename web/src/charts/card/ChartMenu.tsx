import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Menu, type MenuAction } from '../../ui/Menu'
import { t } from '../../language/text'

/** What else a chart can do, behind one button. */
export function ChartMenu({ title, actions }: { title: string; actions: readonly MenuAction[] }) {
  return (
    <Menu
      actions={actions}
      button={
        <Button small look="quiet" aria-label={t('More for {title}', { title })} title={t('Save, full screen, link')}>
          <Icon name="more" />
        </Button>
      }
    />
  )
}
