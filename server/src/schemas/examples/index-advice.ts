// The example of advice.
export const indexAdvice = {
  namespace: 'shop',
  at: '2026-11-26T11:04:31.207Z',
  since: '2026-11-24T15:35:29.174Z',
  indexes: [
    {
      spec: { name: 'city', set: 'users', bin: 'city', kind: 'range' },
      curl: `curl -H "$AUTH" --json '{"name":"city","set":"users","bin":"city","kind":"range"}' $TESSERA/api/v1/namespaces/shop/indexes`,
      why: 'Queries of this shape ran 1,204 times without an index and took 98 s together. Each looked at about 5,000 records.',
      shapes: ['city = ?'],
      queries: { count: 1204, totalMs: 98_212 },
      slow: { count: 12, totalMs: 1943.2 },
      records: { before: 5000, after: { about: 510, from: 390, to: 690 } },
      basis: 'sample',
      savedMs: 88_194,
      cost: { entries: 4980, bytes: 79_680 },
    },
  ],
  setIndexes: [],
  unused: [],
} as const
