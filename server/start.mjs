// What `npm start` runs: makes the tree ready, then starts the gateway in this process. Plain Node, no dependency.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SetupError, setUp } from './setup.mjs'

try {
  await setUp()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`\n${error.message}`)
  process.exit(1)
}

// The gateway reads its flags and handles signals itself, so nothing stands between it and the terminal.
const gateway = fileURLToPath(new URL('dist/server.js', import.meta.url))
process.argv[1] = gateway
await import(pathToFileURL(gateway).href)
