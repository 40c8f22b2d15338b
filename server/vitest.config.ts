import { defineConfig } from 'vitest/config'

// The addon to test in place of the one that users run. In the tests alone: other addons know the variable, too.
const addon = process.env.TESSERA_ADDON

/** What each engine answers in the same way: they run with another one than `memory` if `CONTRACT_STORAGE` names it. */
const contract = [
  'contract',
  'hooks/if-match',
  'load/import',
  'msgpack',
  'namespaces/{indexes,sets}',
  'records/{records,search,search-csv,search-order,search-plans,stream}',
  'v1/{black-box,v1}',
].map((name) => `test/${name}.test.ts`)

/** What several workers answer as one thread does: with as many as `GATEWAY_WORKERS` says. */
const crewed = [
  ...['auth/oidc', 'limits', 'workers'].map((folder) => `test/${folder}/**/*.test.ts`),
  ...[
    'auth/{access,api-tokens,leaks,roles,sessions,some-sets,throttle,users}',
    'contract',
    'hooks/{if-match,idempotency}',
    'records/records',
    'server/live',
    'v1/{black-box,filter-expression}',
    'wire',
    'ycsb',
  ].map((name) => `test/${name}.test.ts`),
]

const { CONTRACT_STORAGE, GATEWAY_WORKERS } = process.env

export default defineConfig({
  test: {
    include: CONTRACT_STORAGE !== undefined ? contract : GATEWAY_WORKERS !== undefined ? crewed : ['test/**/*.test.ts'],
    // Files share what they import: to read it anew for each takes longer than most of their tests.
    isolate: false,
    maxWorkers: 2,
    setupFiles: ['test/addon.ts', 'test/thread.ts'],
    env: addon === undefined ? {} : { NAPI_RS_NATIVE_LIBRARY_PATH: addon },
    // For what hangs: other suites run beside this one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
