import type { May } from '../../api/may'
import type { Namespace } from '../../api/types'
import { printPage } from '../../charts/paper'
import { navItems } from '../nav/nav-items'
import { speak } from '../../language/chosen'
import { LANGUAGES, tags } from '../../language/languages'
import { setTheme } from '../bar/theme'
import { kioskAddress } from '../kiosk'
import { mayOpen } from '../page-needs'
import { t } from '../../language/text'

/** The kinds of commands, in the order in which they are shown, each with its heading. */
const headings = {
  Page: t('Pages'),
  Action: t('Actions'),
  Namespace: t('Namespaces'),
  Set: t('Sets'),
  Record: t('Records'),
  Index: t('Indexes'),
  'Saved query': t('Saved queries'),
  Job: t('Jobs'),
  Setting: t('Settings'),
} as const

export type Group = keyof typeof headings

/** Commands of a group that are shown; more letters find the others. */
const MOST_SHOWN = 40

export interface Command {
  name: string
  group: Group
  /** tells commands of one name apart */
  note?: string
  run: (go: (href: string) => void) => void
}

/** Tasks, each with the operation that it ends in. */
const actions = [
  ['createNamespace', t('Create a namespace'), '/namespaces/new'],
  ['createIndex', t('Create an index'), '/indexes?create=true'],
  ['startBackup', t('Back up a namespace'), '/backups?create=true'],
  ['putRecord', t('Create a record'), '/records?create=true'],
  ['startWorkload', t('Run a benchmark'), '/benchmarks?create=true'],
] as const

/** The commands of the palette that the caller may use: open a page or namespace, start a task, change the theme. */
export function allCommands(namespaces: Namespace[], may: May): Command[] {
  const page = (name: string, group: Group, href: string): Command => ({ name, group, run: (go) => go(href) })
  return [
    ...navItems
      .flatMap(({ items }) => [...items])
      .filter(({ to }) => mayOpen(may, to))
      .map(({ to, label }) => page(label, 'Page', to)),
    ...actions.filter(([operation]) => may(operation)).map(([, name, href]) => page(name, 'Action', href)),
    ...namespaces.flatMap(({ name, config: { storage } }) => {
      const at = encodeURIComponent(name)
      return [
        page(`${name}: overview`, 'Namespace', `/namespaces/${at}`),
        page(`${name}: sets`, 'Namespace', `/namespaces/${at}/sets`),
        ...(storage.engine === 'device' ? [page(`${name}: device`, 'Namespace', `/namespaces/${at}/device`)] : []),
        ...(storage.engine === 'paged' ? [page(`${name}: storage`, 'Namespace', `/namespaces/${at}/storage`)] : []),
        page(`${name}: records`, 'Namespace', `/records?ns=${at}`),
        page(`${name}: query`, 'Namespace', `/query?ns=${at}`),
        page(`${name}: scan`, 'Namespace', `/scans?ns=${at}`),
        page(`${name}: stream`, 'Namespace', `/streams?ns=${at}`),
        page(`${name}: backups`, 'Namespace', `/backups?ns=${at}`),
        page(t('{name}: live latency', { name }), 'Namespace', `/live?ns=${at}`),
      ]
    }),
    { name: t('Print this page'), group: 'Action', run: () => void printPage() },
    { name: t('Kiosk mode: this page for a screen on a wall'), group: 'Action', run: (go) => go(kioskAddress()) },
    ...tags.map((tag): Command => ({
      name: t('Language: {name}', { name: LANGUAGES[tag].name }),
      group: 'Setting',
      run: () => speak(tag),
    })),
    ...(['auto', 'light', 'dark'] as const).map((theme): Command => ({
      name: `Theme: ${theme}`,
      group: 'Setting',
      run: () => setTheme(theme),
    })),
  ]
}

/** Commands whose name or group contains every typed word. */
export function findCommands(commands: Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ name, group }) => words.every((word) => `${group} ${name}`.toLowerCase().includes(word)))
}

/** The commands below their headings, as many as are worth reading. */
export function groupsOf(commands: readonly Command[]): { value: string; items: Command[] }[] {
  return (Object.keys(headings) as Group[])
    .map((group) => ({
      value: headings[group],
      items: commands.filter((command) => command.group === group).slice(0, MOST_SHOWN),
    }))
    .filter(({ items }) => items.length > 0)
}
