// What `npm test` runs: the same set-up as `npm start`, then every check and every test, then one line of totals.
// With `--long`, what `npm run test:long` runs: the tests whose rounds can be raised, with many rounds.
import { bringChromium } from '../browser/chromium.mjs'
import { setUp } from '../../server/setup.mjs'
import { lineOf, runLanes } from './lanes.mjs'
import { longSuites, suites } from './suites.mjs'

try {
  await setUp()
  bringChromium()
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

const started = Date.now()
const rows = await runLanes(process.argv.includes('--long') ? longSuites() : suites())

const sum = (/** @type {'passed' | 'failed'} */ of) => rows.reduce((all, row) => all + row[of], 0)
console.log('')
for (const row of rows) console.log(lineOf(row))
console.log(`in ${((Date.now() - started) / 60_000).toFixed(1)} min`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
if (sum('failed') > 0) process.exitCode = 1
