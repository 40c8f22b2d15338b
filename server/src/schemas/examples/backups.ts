// Answers of a running gateway, shortened: backups.

export const backup = {
  id: '20261124T153528Z-9f86d081',
  state: 'complete',
  namespace: 'orders',
  createdAt: '2026-11-24T15:35:28.703Z',
  endedAt: '2026-11-24T15:35:29.110Z',
  pointFrom: '2026-11-24T15:35:28.731Z',
  pointTo: '2026-11-24T15:35:29.044Z',
  records: 2001,
  bodies: 2001,
  bytes: 489_236,
  damaged: 0,
}
