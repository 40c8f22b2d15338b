import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Menu, type MenuAction } from '../../ui/Menu'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** What else a chart can do, behind one button. */
export function ChartMenu({ title, actions }: { title: string; actions: readonly MenuAction[] }) {
  return (
    <Menu
      actions={actions}
      button={
        <Tip text={t('Save, full screen, link')}>
          <Button small look="quiet" aria-label={t('More for {title}', { title })}>
            <Icon name="more" />
          </Button>
        </Tip>
      }
    />
  )
}
