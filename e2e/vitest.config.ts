import { defineConfig } from 'vitest/config'

// `tidy` reads the tree and needs no build, nor does `bench`; `goals` drive a real gateway, one file a user goal, one at a time.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'tidy', include: ['tidy/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'bench', include: ['bench/*.test.ts'] } },
      {
        test: {
          name: 'goals',
          include: ['goals/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
