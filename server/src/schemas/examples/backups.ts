// Answers of a running gateway, shortened: backups.

export const backup = {
  id: '20261124T153528Z-9f86d081',
  state: 'complete',
  namespace: 'orders',
  namespaceId: '0f4c1f6f2f1f4c0a9f3e8f0b7d6a5c41',
  createdAt: '2026-11-24T15:35:28.703Z',
  endedAt: '2026-11-24T15:35:29.110Z',
  pointFrom: '2026-11-24T15:35:28.731Z',
  pointTo: '2026-11-24T15:35:29.044Z',
  records: 2001,
  bodies: 2001,
  bytes: 489_236,
  damaged: 0,
}
