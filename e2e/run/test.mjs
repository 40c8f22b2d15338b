// What `npm test` runs: the same set-up as `npm start`, then every check and every test, then one line of totals.
// With `--long`, what `npm run test:long` runs: the tests whose rounds can be raised, with many rounds.
import { bringChromium } from '../browser/chromium.mjs'
import { check } from './check.mjs'
import { setUp } from '../../server/setup.mjs'
import { longSuites, suites } from './suites.mjs'

const long = process.argv.includes('--long')

try {
  await setUp()
  bringChromium()
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

const started = Date.now()
const rows = long ? [] : [{ name: 'checks', ...check() }]
for (const suite of long ? longSuites() : suites()) rows.push({ name: suite.name, ...(await suite.run()) })

const total = { passed: 0, failed: 0 }
console.log('')
for (const { name, passed, failed } of rows) {
  total.passed += passed
  total.failed += failed
  console.log(`${failed === 0 ? '✔' : '✘'} ${name.padEnd(24)} ${passed} passed, ${failed} failed`)
}
console.log(`in ${((Date.now() - started) / 60_000).toFixed(1)} min`)
console.log(`${total.passed} passed, ${total.failed} failed`)
if (total.failed > 0) process.exitCode = 1
