import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { setTheme, useTheme, type ThemeChoice } from './theme'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

const next: Record<ThemeChoice, ThemeChoice> = { auto: 'light', light: 'dark', dark: 'auto' }
const icons = { auto: 'auto', light: 'sun', dark: 'moon' } as const

/** Light, dark, or as the system is. */
export function ThemeSwitch() {
  const theme = useTheme()
  return (
    <Tip text={t('Theme: {theme}', { theme })}>
      <Button
        look="quiet"
        aria-label={t('Theme: {theme}. Switch to {next}', { theme, next: next[theme] })}
        onClick={() => setTheme(next[theme])}
      >
        <Icon name={icons[theme]} />
      </Button>
    </Tip>
  )
}
