// The example of a profile.
const city = {
  records: 996,
  share: 0.996,
  nulls: 0,
  types: [{ type: 'string', count: 996, share: 1 }],
  distinct: { sample: 10, atLeast: false, set: { about: 10, from: 10, to: 10 } },
  equal: { about: 510, from: 390, to: 690 },
  strings: { least: 'Athens', greatest: 'Vienna' },
  lengths: { least: 4, greatest: 9, mean: 6.1 },
  top: [{ json: '"Rome"', cut: false, count: 117, share: 0.1175 }],
  histogram: { of: 'length', buckets: [{ from: 4, to: 9, count: 512 }] },
  example: { json: '"Rome"', cut: false },
} as const

export const setProfile = {
  namespace: 'shop',
  set: 'users',
  at: '2026-11-26T11:04:31.207Z',
  sample: {
    method: 'share',
    share: 0.2,
    seed: 0,
    records: 1000,
    of: 5000,
    damaged: 0,
    tooLarge: 0,
    bytes: 184_201,
    elapsedMs: 21.4,
  },
  bins: [
    {
      name: 'city',
      ...city,
      sizes: [{ from: 0, to: 16, count: 996 }],
      meanBytes: 8.1,
      paths: [],
      otherPaths: 0,
    },
  ],
  otherBins: 0,
  sizes: [{ from: 64, to: 256, count: 1000 }],
  lives: { never: 1000, buckets: [] },
} as const
