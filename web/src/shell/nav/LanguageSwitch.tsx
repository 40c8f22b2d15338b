import { chosen, speak } from '../../language/chosen'
import { isLanguage, LANGUAGES, tags } from '../../language/languages'
import { t } from '../../language/text'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Menu } from '../../ui/Menu'

/** The languages of the console, each by its own name. The page is loaded again in the chosen one. */
export function LanguageSwitch() {
  const name = isLanguage(chosen) ? LANGUAGES[chosen].name : chosen
  return (
    <Menu
      button={
        <Button small look="quiet" aria-label={t('Language: {name}', { name })}>
          <Icon name="language" />
          {name}
        </Button>
      }
      actions={tags.map((tag) => ({ text: LANGUAGES[tag].name, act: () => speak(tag) }))}
    />
  )
}
