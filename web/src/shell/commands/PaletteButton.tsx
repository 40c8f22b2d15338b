import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { MODIFIER } from './modifier'
import { openOverlay } from './overlays'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

export function PaletteButton() {
  return (
    <Tip text={t('Search ({modifier}-K)', { modifier: MODIFIER })}>
      <Button look="quiet" aria-keyshortcuts="Control+K Meta+K /" onClick={() => openOverlay('palette')}>
        <Icon name="search" />
        <span className="visually-hidden">{t('Search commands')}</span>
        <kbd className="wide-only" aria-hidden="true">
          {MODIFIER}
          {' K'}
        </kbd>
      </Button>
    </Tip>
  )
}
