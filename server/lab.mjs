// Run by `npm run lab`: brings the tree up to date, then runs an experiment on its own gateway.
import { setUpOrExit } from './setup.mjs'

await setUpOrExit()

const { command } = await import(new URL('dist/lab/command.js', import.meta.url).href)
try {
  process.exitCode = await command(process.argv.slice(2))
} catch (error) {
  console.error(`lab: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
