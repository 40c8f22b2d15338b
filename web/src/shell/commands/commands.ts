import type { Namespace } from '../../api/types'
import { printPage } from '../../charts/paper'
import { navItems } from '../nav/nav-items'
import { setTheme } from '../bar/theme'

export interface Command {
  name: string
  group: string
  run: (go: (href: string) => void) => void
}

/** The commands of the palette: open a page or namespace, start a task, change the theme. */
export function allCommands(namespaces: Namespace[]): Command[] {
  const page = (name: string, group: string, href: string): Command => ({ name, group, run: (go) => go(href) })
  return [
    ...navItems.flatMap(({ items }) => items.map(({ to, label }) => page(label, 'Page', to))),
    page('Create a namespace', 'Action', '/namespaces/new'),
    page('Create an index', 'Action', '/indexes?create=true'),
    page('Create a record', 'Action', '/records?create=true'),
    page('Run a benchmark', 'Action', '/benchmarks?create=true'),
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
        page(`${name}: live latency`, 'Namespace', `/live?ns=${at}`),
      ]
    }),
    { name: 'Print this page', group: 'Action', run: () => void printPage() },
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
