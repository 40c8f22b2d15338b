// Run by `npm start`: brings the tree up to date, then starts the gateway in this process. Plain Node, no dependency.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setUpOrExit } from './setup.mjs'

const start = performance.now()
await setUpOrExit()
// The page About leaves it out of the start.
performance.measure('tessera-set-up', { start })

// The gateway reads its flags and handles signals itself, so it runs without a parent process.
const gateway = fileURLToPath(new URL('dist/server.js', import.meta.url))
process.argv[1] = gateway
await import(pathToFileURL(gateway).href)
