import { defineConfig } from 'vitest/config'

// Run by `npm run test:cluster`, which starts a cluster for it. The gateway has to be built.
export default defineConfig({
  test: {
    include: ['cluster/product/*.test.ts'],
    // What one file does to a node, another one would meet.
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
})
