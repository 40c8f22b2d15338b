import { defineConfig } from 'vitest/config'

// For what hangs: other suites run beside this one.
const patient = { testTimeout: 60_000, expect: { poll: { timeout: 30_000 } } }

// What replaces a module, or loads one anew in another language: other files would get it, too.
const apart = ['feed', 'history-feed', 'job-title', 'languages', 'server-text'].map((name) => `test/${name}.test.ts`)

// `ui` renders components, charts and forms into a document, which its files share because it takes longer to make than
// to use. `logic` needs no document; its files share what they import. Those of `apart` cannot.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'logic',
          include: ['test/*.test.ts'],
          exclude: apart,
          environment: 'node',
          isolate: false,
          ...patient,
        },
      },
      { test: { name: 'apart', include: apart, environment: 'node', ...patient } },
      {
        test: {
          name: 'ui',
          include: ['test/{ui,forms,charts}/*.test.tsx'],
          environment: 'happy-dom',
          isolate: false,
          setupFiles: ['test/ui/setup.ts'],
          ...patient,
        },
      },
    ],
  },
})
