// What `npm test` runs: the same set-up as `npm start`, then every check and every test, then one line of totals.
// With `--long`, what `npm run test:long` runs: the gate of a release. Words choose the suites whose name contains one.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringChromium } from '../browser/chromium.mjs'
import { setUp } from '../../server/setup.mjs'
import { debug } from './debug-build.mjs'
import { chosen, failuresOf, lineOf, runLanes } from './lanes.mjs'
import { longSuites, suites } from './suites.mjs'

// Files for the next build cost time. They are written only where Cargo, called by hand, has written some.
if (!incremental()) process.env['CARGO_INCREMENTAL'] ??= '0'

function incremental() {
  try {
    // Cargo makes the folder in any case.
    return readdirSync(join(debug, 'incremental')).length > 0
  } catch {
    return false
  }
}

const [flags, words] = [process.argv.slice(2).filter(isFlag), process.argv.slice(2).filter((word) => !isFlag(word))]

/** @param {string} word */
function isFlag(word) {
  return word.startsWith('--')
}

/** @type {import('./lanes.mjs').Suite[][]} */
let lanes
try {
  lanes = chosen(flags.includes('--long') ? longSuites() : suites(), words)
  if (lanes.flat().some(({ bare }) => bare !== true)) {
    await setUp()
    bringChromium()
  }
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

const started = Date.now()
const rows = await runLanes(lanes)

const sum = (/** @type {'passed' | 'failed'} */ of) => rows.reduce((all, row) => all + row[of], 0)
console.log('')
for (const failure of failuresOf(rows)) console.log(`${failure}\n`)
for (const row of rows) console.log(lineOf(row))
console.log(`in ${((Date.now() - started) / 60_000).toFixed(1)} min`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
if (sum('failed') > 0) process.exitCode = 1
