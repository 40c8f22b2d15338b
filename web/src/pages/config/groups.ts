import type { ServerSetting } from '../../api/types'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'
import type { ServerConfigSearch } from './search'

const words: Readonly<Record<ServerSetting['group'], string>> = {
  guards: t('Guards'),
  log: t('Log and notices'),
  network: t('Network'),
  tls: t('Encryption'),
  access: t('Sign-in'),
  limits: t('Limits and timeouts'),
  memory: t('Memory'),
  storage: t('Files and devices'),
  traces: t('Traces'),
}

export interface Group {
  name: string
  settings: ServerSetting[]
}

interface Wanted extends Pick<ServerConfigSearch, 'find' | 'show'> {
  /** unset: all that match */
  differs?: ((setting: ServerSetting) => boolean) | undefined
}

/** The settings that match, in their groups. */
export function groupsOf(settings: readonly ServerSetting[], { find = '', show, differs }: Wanted): Group[] {
  const typed = find.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (setting: ServerSetting): boolean => {
    const { key, help, variable, flag = '', value = '', live, source, group } = setting
    const text = `${key} ${serverText(help)} ${variable} ${flag} ${value} ${words[group]}`.toLowerCase()
    if (show === 'live' && !live) return false
    if (show === 'set' && source === 'default') return false
    return typed.every((word) => text.includes(word)) && (differs === undefined || differs(setting))
  }
  return (Object.keys(words) as ServerSetting['group'][])
    .map((group) => ({
      name: words[group],
      settings: settings.filter((setting) => setting.group === group && matches(setting)),
    }))
    .filter((group) => group.settings.length > 0)
}
