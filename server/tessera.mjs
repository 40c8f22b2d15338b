#!/usr/bin/env node
// The command `tessera`. It needs the built gateway (`npm run build`).
const { runCommand } = await import(new URL('dist/cli/main.js', import.meta.url).href)

process.exitCode = await runCommand(process.argv.slice(2))
