// Published advisories on what is locked, from OSV (osv.dev): those of GitHub on npm and those of RustSec in one question.

/**
 * @typedef {{ ecosystem: string, name: string, version: string }} Package
 * @typedef {object} Advisory
 * @property {string} id such as GHSA-… or RUSTSEC-…
 * @property {string} package its ecosystem, name and version
 * @property {string} summary
 * @property {'low' | 'moderate' | 'high' | 'critical' | 'notice'} severity notice: nobody maintains it, or the like
 *
 * @typedef {object} Exception
 * @property {string} id
 * @property {string} reason
 * @property {string} until the last day, such as 2027-01-31
 */

/** OSV takes so many in a question. */
const QUESTION_MAX = 1000
const TIMEOUT_MS = 10_000
/** Nobody has so many. An answer with more is no answer of OSV. */
const ADVISORIES_MAX = 500

/** @param {Package} locked */
export const keyOf = ({ ecosystem, name, version }) => `${ecosystem}:${name}@${version}`

/**
 * Asks OSV. An advisory that has been withdrawn is left out.
 * @param {readonly Package[]} packages @param {string} [url] @returns {Promise<Advisory[]>}
 * @throws {Error} if it cannot be reached, or answers something else
 */
export async function askOsv(packages, url = 'https://api.osv.dev') {
  /** @type {Map<string, string[]>} */
  const found = new Map()
  const unique = [...new Map(packages.map((one) => [keyOf(one), one])).values()]
  for (let at = 0; at < unique.length; at += QUESTION_MAX) {
    const part = unique.slice(at, at + QUESTION_MAX)
    const queries = part.map(({ ecosystem, name, version }) => ({ package: { ecosystem, name }, version }))
    const { results } = await ask(`${url}/v1/querybatch`, { queries })
    if (!Array.isArray(results) || results.length !== part.length)
      throw new Error(`${url} answered ${results?.length ?? 'no'} results to ${part.length} questions`)
    for (const [n, { vulns = [] }] of results.entries()) {
      const one = part[n]
      for (const { id } of vulns) if (one !== undefined) found.set(id, [...(found.get(id) ?? []), keyOf(one)])
    }
  }
  if (found.size > ADVISORIES_MAX) throw new Error(`${url} answered ${found.size} advisories`)
  const advisories = await Promise.all(
    Array.from(found, async ([id, of]) => {
      const about = await ask(`${url}/v1/vulns/${encodeURIComponent(id)}`)
      if (about.withdrawn !== undefined) return []
      const [summary = ''] = String(about.summary ?? about.details ?? '').split('\n')
      return of.map((name) => ({ id, package: name, summary, severity: severityOf(about) }))
    }),
  )
  return advisories.flat().sort((a, b) => a.id.localeCompare(b.id) || a.package.localeCompare(b.package))
}

/** @param {string} url @param {object} [body] @returns {Promise<any>} */
async function ask(url, body) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(url, { ...sent, signal, headers: { 'content-type': 'application/json' } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer.json()
}

/** One that does not say how bad it is counts as bad. @param {any} about @returns {Advisory['severity']} */
function severityOf({ database_specific: own, affected = [] }) {
  const said = String(own?.severity ?? '').toLowerCase()
  if (said === 'low' || said === 'moderate' || said === 'high' || said === 'critical') return said
  const informs = affected.some((/** @type {any} */ { database_specific: of }) => typeof of?.informational === 'string')
  return informs ? 'notice' : 'high'
}

/**
 * Which advisories fail, and which exceptions no longer hold.
 * @param {readonly Advisory[]} advisories @param {readonly Exception[]} exceptions @param {string} today such as 2026-11-29
 * @returns {{ failures: string[], notices: string[] }} lines
 */
export function judged(advisories, exceptions, today) {
  /** @type {string[]} */
  const failures = []
  /** @type {string[]} */
  const notices = []
  for (const { id, package: name, summary, severity } of advisories) {
    const line = `${id} (${severity}) ${name}: ${summary}`
    const exception = exceptions.find((one) => one.id === id)
    if (severity !== 'high' && severity !== 'critical') notices.push(line)
    else if (exception === undefined) failures.push(line)
    else if (exception.until < today) failures.push(`${line} (its exception ended on ${exception.until})`)
    else notices.push(`${line} (excepted until ${exception.until}: ${exception.reason})`)
  }
  for (const { id, reason, until } of exceptions) {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(until) && !Number.isNaN(Date.parse(until))
    if (!isDay || reason.trim() === '')
      failures.push(`the exception of ${id} needs a reason and a day such as 2027-01-31`)
    else if (!advisories.some((one) => one.id === id)) notices.push(`the exception of ${id} is not needed any more`)
  }
  return { failures, notices }
}
