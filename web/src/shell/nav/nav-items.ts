import { t } from '../../language/text'

/** Pages of the console in the order of the navigation; the command palette lists the same. */
export const navItems = [
  {
    group: undefined,
    items: [
      { to: '/', label: t('Overview'), key: 'o' },
      { to: '/live', label: t('Live'), key: 'l' },
      { to: '/alerts', label: t('Alerts'), key: 'w' },
    ],
  },
  {
    group: t('Data'),
    items: [
      { to: '/namespaces', label: t('Namespaces'), key: 'n' },
      { to: '/records', label: t('Records'), key: 'r' },
      { to: '/query', label: t('Query'), key: 'q' },
      { to: '/import', label: t('Import & export'), key: 'm' },
    ],
  },
  {
    group: t('Work'),
    items: [
      { to: '/scans', label: t('Scans'), key: 's' },
      { to: '/streams', label: t('Streams'), key: 't' },
      { to: '/indexes', label: t('Indexes'), key: 'i' },
      { to: '/jobs', label: t('Jobs'), key: 'j' },
      { to: '/backups', label: t('Backups'), key: 'p' },
      { to: '/slow', label: t('Slow operations'), key: 'd' },
      { to: '/benchmarks', label: t('Benchmarks'), key: 'b' },
      { to: '/lab', label: t('Lab'), key: 'e' },
    ],
  },
  {
    group: t('System'),
    items: [
      { to: '/capacity', label: t('Capacity'), key: 'c' },
      { to: '/access', label: t('Access'), key: 'k' },
      { to: '/config', label: t('Configuration'), key: 'f' },
      { to: '/audit', label: t('Audit'), key: 'u' },
      { to: '/api', label: t('API'), key: 'a' },
      { to: '/about', label: t('About'), key: 'v' },
    ],
  },
] as const

/** What the navigation calls the page of a path; undefined for the others. */
export const navLabel = (path: string): string | undefined =>
  navItems.flatMap<{ to: string; label: string }>(({ items }) => items).find(({ to }) => to === path)?.label
