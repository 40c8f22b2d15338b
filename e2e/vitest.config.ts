import { defineConfig } from 'vitest/config'
import { LongestFirst } from './run/longest-first.mjs'

// `tidy` reads the tree and needs no build, nor do `bench`, `supply` and `cluster`; `goals` drive a real gateway each, one file a user goal:
// two at a time, as they mostly wait for pages to be drawn, for seconds of a workload, for a disk. Timeouts are for what
// hangs.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'tidy', include: ['tidy/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'bench', include: ['bench/*.test.ts', 'chaos/measures.test.ts', 'chaos/model.test.ts'] } },
      { test: { name: 'supply', include: ['supply/*.test.ts'] } },
      { test: { name: 'cluster', include: ['cluster/*.test.ts'] } },
      { test: { name: 'chaos', include: ['chaos/chaos.test.ts'], testTimeout: 86_400_000 } },
      {
        test: {
          name: 'goals',
          include: ['goals/*.test.ts'],
          // Goals share the browser of their process.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
})
