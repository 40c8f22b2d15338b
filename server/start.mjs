// What `npm start` runs: makes the tree ready, then starts the gateway in this process. Plain Node, no dependency.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setUpOrExit } from './setup.mjs'

await setUpOrExit()

// The gateway reads its flags and handles signals itself, so nothing stands between it and the terminal.
const gateway = fileURLToPath(new URL('dist/server.js', import.meta.url))
process.argv[1] = gateway
await import(pathToFileURL(gateway).href)
