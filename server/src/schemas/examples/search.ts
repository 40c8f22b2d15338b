// Answers of a running gateway, shortened: queries, scans and streams.

export const records = {
  records: [
    {
      set: 'users',
      key: 'ada',
      digest: 'b7981222b74b46ad1fb33a25149df1f0b7c7cd02',
      generation: 2,
      expiresAt: null,
      updatedAt: '2026-11-24T15:35:29.262Z',
      bins: { name: 'Ada' },
    },
  ],
  jobId: '001m87358qn00',
  summary: {
    returned: 1,
    scanned: 2,
    damaged: 0,
    candidates: 0,
    elapsedMs: 0.129,
    threads: 2,
    method: 'set-column',
    truncated: false,
    estimatedCandidates: 2,
  },
}

export const aggregated = {
  aggregate: {
    records: { value: 2000 },
    sizes: {
      buckets: [
        { from: 0, to: 1000, count: 940 },
        { from: 1000, to: 2000, count: 520 },
      ],
      below: 0,
      above: 0,
      missing: 0,
      numbers: 2000,
      others: 0,
    },
  },
  jobId: '001m87358qq00',
  summary: {
    returned: 2000,
    scanned: 2000,
    damaged: 0,
    candidates: 0,
    elapsedMs: 0.8221,
    threads: 2,
    method: 'set-column',
    truncated: false,
    estimatedCandidates: 2000,
  },
}

export const grouped = {
  groups: [
    { by: { event_type: 'PushEvent' }, aggregate: { records: { value: 1021 } } },
    { by: { event_type: 'CreateEvent' }, aggregate: { records: { value: 260 } } },
  ],
  others: 12,
  jobId: '001m87358qt00',
  summary: {
    returned: 2000,
    scanned: 2000,
    damaged: 0,
    candidates: 0,
    elapsedMs: 1.08,
    threads: 2,
    method: 'set-column',
    truncated: true,
    estimatedCandidates: 2000,
    others: 12,
  },
}

export const queryPlan = {
  method: 'document-index',
  index: 'payload',
  segments: 256,
  estimatedCandidates: 1,
  estimatedMs: 0.09126,
  terms: 1,
  reason: 'the index "payload" proposes 1 record',
  said: {
    message: 'the index {index} proposes {records, plural, one {# record} other {# records}}',
    values: { index: '"payload"', records: 1 },
  },
  alternatives: [
    { method: 'document-index', index: 'payload', estimatedMs: 0.09126 },
    { method: 'set-index', estimatedMs: 0.5154 },
    { method: 'set-column', estimatedMs: 0.5157 },
  ],
  tree: {
    node: 'limit',
    estimated: 0,
    actual: 1,
    ms: 0.03513,
    children: [
      {
        node: 'filter',
        estimated: 0,
        actual: 1,
        children: [
          {
            node: 'terms',
            index: 'payload',
            on: 'payload',
            terms: [{ path: 'commits[*].author.email', value: 'test@gmail.com', estimated: 0 }],
            estimated: 0,
            actual: 1,
            ms: 0.01192,
            segments: 1,
          },
        ],
      },
    ],
  },
  actual: { candidates: 1, scanned: 1, returned: 1, ms: 0.03513, segments: 1 },
}

export const scanPlan = {
  method: 'set-column',
  estimatedMs: 2.758,
  estimatedRecords: 453,
  namespaceRecords: 2001,
  segments: 58,
  threads: 2,
  reason: 'the set has no index; switching one on makes this scan cost only its own records',
  alternatives: [
    { method: 'set-index', estimatedMs: 2.758 },
    { method: 'set-column', estimatedMs: 2.758 },
    { method: 'all', estimatedMs: 2.758 },
  ],
  costs: { randomReadNs: 10_000, sequentialBytesPerSecond: 1_000_000_000, recordNs: 400 },
}

export const counted = {
  count: 1021,
  jobId: '001m87358tf00',
  summary: {
    returned: 1021,
    scanned: 2000,
    damaged: 0,
    candidates: 0,
    elapsedMs: 0.7062,
    threads: 2,
    method: 'set-column',
    truncated: false,
    estimatedCandidates: 2000,
  },
}
