import { defineConfig } from 'vitest/config'

// For what hangs: other suites run beside this one.
const patient = { testTimeout: 60_000, expect: { poll: { timeout: 30_000 } } }

// `ui` renders components, charts and forms into a document, which its files share because it takes longer to make than
// to use. `logic` needs no document.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'logic', include: ['test/*.test.ts'], environment: 'node', ...patient } },
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
