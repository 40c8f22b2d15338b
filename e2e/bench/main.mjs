// What `npm run bench` runs: `-- list`, or `-- <name> [--json] [--option value]...`. Progress goes to standard error;
// on standard output come the figures: a table, or with --json one object { bench, figures }.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SetupError, setUp } from '../../server/setup.mjs'
import { benches } from './benches.mjs'

const [name, ...rest] = process.argv.slice(2)
const asJson = rest.includes('--json')
const options = rest.filter((word) => word !== '--json')

if (name === 'list') {
  for (const bench of benches) console.log(`${bench.name.padEnd(14)}${bench.about}`)
} else {
  const bench = benches.find((one) => one.name === name)
  if (bench === undefined) {
    console.error(`usage: npm run --silent bench -- list | ${benches.map((one) => one.name).join(' | ')} [--json]`)
    process.exit(1)
  }
  const scratch = mkdtempSync(join(tmpdir(), 'tessera-bench-'))
  try {
    if (bench.needsGateway) await setUp()
    const figures = await bench.run(scratch, options)
    if (asJson) console.log(JSON.stringify({ bench: name, figures }))
    else for (const [figure, value] of Object.entries(figures)) console.log(`${figure.padEnd(28)}${format(value)}`)
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error)
    process.exitCode = 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** @param {number} value */
function format(value) {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(4)).toString()
}
