// Runs suites in lanes: one suite after the other in each, the lanes side by side. Says of each how long it took.
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from '../../server/setup.mjs'

/**
 * @typedef {{ name: string, seconds: number }} Part a file of tests, a program of tests, a check
 * @typedef {{ passed: number, failed: number, parts: Part[], failures?: string[] }} Count `failures`: name and message
 * @typedef {import('node:stream').Writable} Log
 * @typedef {object} Suite
 * @property {string} name
 * @property {number} [budget] seconds that it should take on two cores; more is marked, and fails nothing
 * @property {boolean} [bare] needs nothing that the set-up builds
 * @property {(log: Log) => Promise<Count>} run writes what it prints to the log
 *
 * @typedef {{ name: string, passed: number, failed: number, seconds: number, budget?: number, failures: string[] }} Row
 */

/** Where logs and reports go. */
export const reports = join(root, 'e2e/.artifacts/reports')

/** Slowest parts of a suite that are told. */
const TOLD = 10

/** Lines that are told of a failure once more, after all suites. */
const FAILURE_LINES = 24

/** @param {readonly (readonly Suite[])[]} lanes @returns {Promise<Row[]>} in the order in which they ended */
export async function runLanes(lanes) {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  /** @type {Row[]} */
  const rows = []
  const inTurn = async (/** @type {readonly Suite[]} */ suites) => {
    for (const suite of suites) rows.push(await runSuite(suite))
  }
  await Promise.all(lanes.map(inTurn))
  return rows
}

/**
 * The suites whose name contains one of the words; all if there is none.
 * @param {readonly (readonly Suite[])[]} lanes @param {readonly string[]} words @returns {Suite[][]}
 */
export function chosen(lanes, words) {
  const names = lanes.flat().map(({ name }) => name)
  const unknown = words.filter((word) => !names.some((name) => name.includes(word)))
  if (unknown.length > 0) throw new Error(`There is no suite "${unknown.join('", "')}". Suites: ${names.join('; ')}.`)
  const isChosen = (/** @type {Suite} */ { name }) => words.length === 0 || words.some((word) => name.includes(word))
  return lanes.map((lane) => lane.filter(isChosen)).filter((lane) => lane.length > 0)
}

/** @param {Suite} suite @returns {Promise<Row>} */
async function runSuite({ name, budget, run }) {
  const file = join(reports, `${name.replaceAll(/\W+/g, '-')}.log`)
  const log = createWriteStream(file)
  console.log(`▸ ${name}`)
  const started = Date.now()
  /** @type {Count} */
  let count = { passed: 0, failed: 1, parts: [] }
  try {
    count = await run(log)
  } catch (error) {
    log.write(`${error instanceof Error ? error.stack : error}\n`)
  }
  log.end()
  await finished(log)
  const { passed, failed, parts, failures = [] } = count
  const seconds = (Date.now() - started) / 1000
  const row = { name, passed, failed, seconds, failures, ...(budget !== undefined && { budget }) }
  // Suites run side by side: one that passed says how long it took, one that failed says everything.
  const slowest = parts.toSorted((a, b) => b.seconds - a.seconds).slice(0, TOLD)
  const lines = [lineOf(row), ...slowest.map((part) => `  ${part.seconds.toFixed(1).padStart(7)} s  ${part.name}`)]
  if (failed > 0) lines.unshift('', readFileSync(file, 'utf8'))
  console.log(lines.join('\n'))
  return row
}

/** @param {Row} row */
export function lineOf({ name, passed, failed, seconds, budget }) {
  const counted = `${passed} passed, ${failed} failed`
  const took = `${seconds.toFixed(0)} s${budget === undefined ? '' : ` of ${budget} s`}`
  const over = budget !== undefined && seconds > budget ? ' (over its budget)' : ''
  return `${failed === 0 ? '✔' : '✘'} ${name.padEnd(22)} ${counted.padEnd(24)} ${took}${over}`
}

/** What failed, for whoever sees the end of a long output alone. @param {readonly Row[]} rows @returns {string[]} */
export const failuresOf = (rows) =>
  rows.flatMap(({ name, failed, failures }) => {
    const untold = failed > 0 && failures.length === 0 ? ['see its output above'] : failures
    return untold.map((failure) => {
      const lines = stripVTControlCharacters(failure).split('\n')
      const rest = lines.length > FAILURE_LINES ? [`… ${lines.length - FAILURE_LINES} more lines`] : []
      return [
        `✘ ${name}: ${lines[0]}`,
        ...[...lines.slice(1, FAILURE_LINES), ...rest].map((line) => `    ${line}`),
      ].join('\n')
    })
  })
