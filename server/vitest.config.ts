import { defineConfig } from 'vitest/config'

// The addon to test in place of the one that users run. In the tests alone: other addons know the variable, too.
const addon = process.env.TESSERA_ADDON

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Files share what they import: to read it anew for each takes longer than most of their tests.
    isolate: false,
    maxWorkers: 2,
    setupFiles: ['test/thread.ts'],
    env: addon === undefined ? {} : { NAPI_RS_NATIVE_LIBRARY_PATH: addon },
    // For what hangs: other suites run beside this one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
