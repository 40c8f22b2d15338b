// Answers of a running gateway, shortened: jobs, imports and records.

export const job = {
  id: '001m87358mp00',
  kind: 'index-build',
  namespace: 'shop',
  title: 'Build index payload',
  parameters: { bin: 'payload', index: 'payload', kind: 'document', path: null, set: 'events' },
  state: 'done',
  done: 2000,
  unit: 'records',
  ratePerSecond: 603_721,
  threads: 2,
  createdAt: '2026-11-24T15:35:29.174Z',
  damaged: 0,
  set: 'events',
  who: 'local',
  total: 2000,
  startedAt: '2026-11-24T15:35:29.183Z',
  endedAt: '2026-11-24T15:35:29.186Z',
  result: { bytes: 489_236, entries: 66_244, terms: 53_478 },
}

export const importReport = {
  jobId: '001m87358mc00',
  rows: 2,
  inserted: 1,
  updated: 0,
  rejectedTotal: 1,
  rejectedByCode: { key_missing: 1 },
  rejected: [{ line: 3, code: 'key_missing', message: 'the row has no key', field: 'key' }],
  bytes: 12,
  elapsedMs: 3.621,
  rowsPerSecond: 552.4,
  rejectFile: { rows: 1, bytes: 88, cutShort: false },
}

export const reject = { line: 3, code: 'key_missing', message: 'the row has no key', field: 'key', row: ',3' }

export const record = {
  set: 'users',
  key: 'ada',
  digest: 'b7981222b74b46ad1fb33a25149df1f0b7c7cd02',
  generation: 1,
  expiresAt: null,
  updatedAt: '2026-11-24T15:35:28.917Z',
  bins: { name: 'Ada', visits: 42, tags: ['a', 'b'], price: 9.5 },
}

export const savedQuery = {
  id: '0mwuuwkqdb15377',
  name: 'pushes',
  namespace: 'shop',
  request: '{"set":"events","limit":100}',
  createdAt: '2026-11-24T15:35:38.485Z',
  updatedAt: '2026-11-24T15:35:38.485Z',
  who: 'local',
}
