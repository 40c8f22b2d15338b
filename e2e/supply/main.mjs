// What `npm run audit` runs, and `npm test` with its checks: advisories, licences and sources of all that is locked.
// With --keep, the answer about advisories is kept in the repository for those without a network.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askOsv, judged } from './advisories.mjs'
import { fromCopy, keepCopy, readCopy } from './copy.mjs'
import { refused } from './licences.mjs'
import { lockedPackages } from './locked.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const copyFile = join(here, 'advisories.json')
/** @type {import('./advisories.mjs').Exception[]} */
const exceptions = JSON.parse(readFileSync(join(here, 'exceptions.json'), 'utf8'))
const packages = lockedPackages()

/** Undefined: nobody can say. @returns {Promise<import('./advisories.mjs').Advisory[] | undefined>} */
async function advisories() {
  try {
    const found = await askOsv(packages, process.env['OSV_URL'])
    console.log('advisories: from OSV, now')
    if (process.argv.includes('--keep')) keepCopy(copyFile, packages, found)
    return found
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error)
    const why = cause instanceof Error ? cause.message : message
    const copy = readCopy(copyFile)
    if (copy === undefined) {
      console.log(`advisories: NOT CHECKED. OSV cannot be asked (${why}), and there is no copy.`)
      return undefined
    }
    const { advisories: known, trust } = fromCopy(copy, packages, Date.now())
    console.log(`advisories: from ${trust}. OSV cannot be asked (${why}).`)
    return known
  }
}

const known = await advisories()
const { failures, notices } =
  known === undefined ? { failures: [], notices: [] } : judged(known, exceptions, new Date().toISOString().slice(0, 10))
failures.push(
  ...refused(
    packages.filter(({ shipped }) => shipped),
    true,
  ).map((line) => `licence: ${line}`),
  ...refused(
    packages.filter(({ shipped }) => !shipped),
    false,
  ).map((line) => `licence: ${line}`),
  ...packages
    .filter(({ checked }) => !checked)
    .map(({ ecosystem, name, version }) => `source: ${ecosystem}:${name}@${version} is not from the registry`),
)
for (const line of notices) console.log(`notice: ${line}`)
for (const line of failures) console.log(`FAILED ${line}`)
console.log(`${packages.length} packages, ${failures.length} failures, ${notices.length} notices`)
if (failures.length > 0) process.exitCode = 1
