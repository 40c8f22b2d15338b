import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compression } from 'vite-plugin-compression2'
import { fonts } from './vite-fonts'
import { constructedSheets } from './vite-sheets'
import { groups, start } from './vite-start'

/** Where `npm run dev` finds the gateway. */
const gateway = process.env['TESSERA_URL'] ?? 'http://127.0.0.1:7373'
const served = ['/api/v1', '/v1', '/v2', '/docs', '/healthz', '/readyz', '/metrics', '^/login\\?code=']

export default defineConfig({
  // The gateway sends the compressed form beside a file to browsers that take it.
  plugins: [
    react(),
    fonts(),
    start(),
    constructedSheets(),
    compression({ algorithms: ['gzip', 'brotliCompress'], threshold: 1024 }),
  ],
  // Scripts and styles find each other wherever the server is. The server changes the page if that is below a path.
  experimental: { renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  // ECharts names it, and a worker that is not built has none.
  define: { global: 'globalThis' },
  // A catalogue is one object, not an export for each text.
  json: { stringify: true },
  // Its texts are of the reader's language, which is loaded first: that needs a module.
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { proxy: Object.fromEntries(served.map((path) => [path, gateway])) },
})
