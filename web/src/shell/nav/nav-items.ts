/** Pages of the console in the order of the navigation; the command palette lists the same. */
export const navItems = [
  {
    group: undefined,
    items: [
      { to: '/', label: 'Overview', key: 'o' },
      { to: '/live', label: 'Live', key: 'l' },
      { to: '/alerts', label: 'Alerts', key: 'w' },
    ],
  },
  {
    group: 'Data',
    items: [
      { to: '/namespaces', label: 'Namespaces', key: 'n' },
      { to: '/records', label: 'Records', key: 'r' },
      { to: '/query', label: 'Query', key: 'q' },
      { to: '/import', label: 'Import & export', key: 'm' },
    ],
  },
  {
    group: 'Work',
    items: [
      { to: '/scans', label: 'Scans', key: 's' },
      { to: '/streams', label: 'Streams', key: 't' },
      { to: '/indexes', label: 'Indexes', key: 'i' },
      { to: '/jobs', label: 'Jobs', key: 'j' },
      { to: '/backups', label: 'Backups', key: 'p' },
      { to: '/slow', label: 'Slow operations', key: 'd' },
      { to: '/benchmarks', label: 'Benchmarks', key: 'b' },
      { to: '/lab', label: 'Lab', key: 'e' },
    ],
  },
  {
    group: 'System',
    items: [
      { to: '/capacity', label: 'Capacity', key: 'c' },
      { to: '/access', label: 'Access', key: 'k' },
      { to: '/audit', label: 'Audit', key: 'u' },
      { to: '/api', label: 'API', key: 'a' },
    ],
  },
] as const
