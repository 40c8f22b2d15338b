import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Menu, type MenuAction } from '../../ui/Menu'

/** What else a chart can do, behind one button. */
export function ChartMenu({ title, actions }: { title: string; actions: readonly MenuAction[] }) {
  return (
    <Menu
      actions={actions}
      button={
        <Button small look="quiet" aria-label={`More for ${title}`} title="Save, full screen, link">
          <Icon name="more" />
        </Button>
      }
    />
  )
}
